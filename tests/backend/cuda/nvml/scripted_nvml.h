// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/nvml/library.h"

#include <cstring>
#include <string>

namespace strata::testing {

// The reports of a scripted NVML on its only device, and its status codes.
struct NvmlScript {
    std::string bus = "0000:1B:00.0";
    unsigned core_megahertz = 1755;
    unsigned memory_megahertz = 3201;
    unsigned milliwatts = 612'345;
    unsigned long long limits = 0;
    unsigned performance_state = 0;
    unsigned processes = 1;
    cuda::NvmlStatus answer = cuda::nvml_success;  // to every query about the device
};

inline auto text_of(std::string text) {
    return [text](char* buffer, unsigned size) {
        std::strncpy(buffer, text.c_str(), size);
        return cuda::nvml_success;
    };
}

// An NVML that has every function and follows the script. Requires: the script outlives it.
inline cuda::NvmlLibrary scripted_nvml(const NvmlScript& script) {
    using cuda::NvmlHandle;
    const auto number = [&script](unsigned value) {
        return [&script, value](NvmlHandle, unsigned* answer) {
            *answer = value;
            return script.answer;
        };
    };
    const auto clock = [&script](NvmlHandle, unsigned domain, unsigned* answer) {
        *answer = domain == cuda::nvml_clock_sm ? script.core_megahertz : script.memory_megahertz;
        return script.answer;
    };
    const auto maximum = [&script](NvmlHandle, unsigned domain, unsigned* answer) {
        *answer = domain == cuda::nvml_clock_sm ? 1980 : 3201;
        return script.answer;
    };
    const auto switched = [&script](unsigned now) {
        return [&script, now](NvmlHandle, unsigned* current, unsigned* later) {
            *current = now;
            *later = 1 - now;
            return script.answer;
        };
    };
    cuda::NvmlLibrary library;
    library.initialise = [] { return cuda::nvml_success; };
    library.device_by_bus = [&script](const char* bus, NvmlHandle* handle) {
        *handle = handle;
        return bus == script.bus ? cuda::nvml_success : 6;
    };
    library.driver_version = text_of("580.65.06");
    library.library_version = text_of("13.580.65.06");
    library.uuid = [&script](NvmlHandle, char* buffer, unsigned size) {
        text_of("GPU-5f0c")(buffer, size);
        return script.answer;
    };
    library.clock = clock;
    library.max_clock = maximum;
    library.set_clock = maximum;
    library.power = [&script](NvmlHandle, unsigned* answer) {
        *answer = script.milliwatts;
        return script.answer;
    };
    library.power_limit = number(700'000);
    library.temperature = [&script](NvmlHandle, unsigned, unsigned* answer) {
        *answer = 57;
        return script.answer;
    };
    library.clock_limits = [&script](NvmlHandle, unsigned long long* answer) {
        *answer = script.limits;
        return script.answer;
    };
    library.performance_state = [&script](NvmlHandle, unsigned* answer) {
        *answer = script.performance_state;
        return script.answer;
    };
    library.ecc = switched(1);
    library.mig = switched(0);
    library.persistence = number(1);
    library.compute_mode = number(3);
    library.processes = [&script](NvmlHandle, unsigned* count, void* entries) {
        const bool fits = *count >= script.processes;
        *count = script.processes;
        if (script.answer != cuda::nvml_success) {
            return script.answer;
        }
        return fits && entries != nullptr ? cuda::nvml_success : cuda::nvml_insufficient_size;
    };
    return library;
}

}  // namespace strata::testing
