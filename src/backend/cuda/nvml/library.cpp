// SPDX-License-Identifier: MIT
#include "backend/cuda/nvml/library.h"

#include "backend/cuda/library/shared_library.h"

#include <fmt/format.h>

#include <initializer_list>

namespace strata::cuda {

namespace {

// Leaves the function empty if no name is known. Requires: the newest name first, all with the same
// prototype.
template <class... Arguments>
void bind(NvmlLibrary::Function<Arguments...>& function, const SymbolSource& symbol_of,
          std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (void* symbol = symbol_of(name)) {
            function = reinterpret_cast<NvmlStatus (*)(Arguments...)>(symbol);
            return;
        }
    }
}

}  // namespace

NvmlLibrary bind_nvml(const SymbolSource& symbol_of) {
    NvmlLibrary library;
    const auto take = [&](auto& function, std::initializer_list<const char*> names) {
        bind(function, symbol_of, names);
    };
    take(library.initialise, {"nvmlInit_v2", "nvmlInit"});
    take(library.device_by_bus,
         {"nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId"});
    take(library.driver_version, {"nvmlSystemGetDriverVersion"});
    take(library.library_version, {"nvmlSystemGetNVMLVersion"});
    take(library.uuid, {"nvmlDeviceGetUUID"});
    take(library.clock, {"nvmlDeviceGetClockInfo"});
    take(library.max_clock, {"nvmlDeviceGetMaxClockInfo"});
    take(library.set_clock, {"nvmlDeviceGetApplicationsClock"});
    take(library.power, {"nvmlDeviceGetPowerUsage"});
    take(library.power_limit, {"nvmlDeviceGetEnforcedPowerLimit"});
    take(library.temperature, {"nvmlDeviceGetTemperature"});
    take(library.clock_limits,
         {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
    take(library.performance_state, {"nvmlDeviceGetPerformanceState"});
    take(library.ecc, {"nvmlDeviceGetEccMode"});
    take(library.mig, {"nvmlDeviceGetMigMode"});
    take(library.persistence, {"nvmlDeviceGetPersistenceMode"});
    take(library.compute_mode, {"nvmlDeviceGetComputeMode"});
    take(library.processes,
         {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
          "nvmlDeviceGetComputeRunningProcesses"});
    return library;
}

OpenedNvml open_nvml() {
    const SharedLibrary opened = open_first({"libnvidia-ml.so.1"});
    if (opened.handle == nullptr) {
        return {.library = {}, .refusal = opened.refusal};
    }
    return {.library = bind_nvml([&](const char* name) { return opened.symbol(name); }),
            .refusal = {}};
}

std::string words_of_nvml(NvmlStatus status) {
    switch (status) {
        case nvml_success:
            return "told";
        case 1:
            return "not initialised";
        case 2:
            return "an argument that it does not know";
        case nvml_not_supported:
            return "not supported by this device";
        case nvml_no_permission:
            return "no permission";
        case 6:
            return "no such device";
        case 9:
            return "the driver is not loaded";
        case nvml_function_not_found:
            return "not in this version of the library";
        case 15:
            return "the device is lost";
        case 18:
            return "the driver was updated and not reloaded";
        default:
            return fmt::format("status {}", status);
    }
}

}  // namespace strata::cuda
