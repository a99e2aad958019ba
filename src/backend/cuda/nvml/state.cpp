// SPDX-License-Identifier: MIT
#include "backend/cuda/nvml/state.h"

#include "backend/cuda/nvml/library.h"
#include "base/text.h"

#include <fmt/format.h>

namespace strata::cuda {

namespace {

constexpr double megahertz = 1e6;
constexpr unsigned chip_sensor = 0;
constexpr unsigned unknown_performance_state = 32;

// In order of bits, lowest first.
constexpr std::array limits_by_bit = {
    ClockLimit::idle,
    ClockLimit::setting,
    ClockLimit::power_cap,
    ClockLimit::hardware_slowdown,
    ClockLimit::sync_boost,
    ClockLimit::software_thermal,
    ClockLimit::hardware_thermal,
    ClockLimit::power_brake,
    ClockLimit::display,
};

std::optional<Frequency> frequency(const NvmlAnswer<unsigned>& clock) {
    return clock.value.value_or(0) > 0 ? std::optional(Frequency{megahertz * *clock.value})
                                       : std::nullopt;
}

}  // namespace

std::vector<ClockLimit> limits_of_mask(unsigned long long mask) {
    std::vector<ClockLimit> limits;
    for (std::size_t bit = 0; bit < limits_by_bit.size(); ++bit) {
        if ((mask >> bit & 1U) != 0) {
            limits.push_back(limits_by_bit[bit]);
        }
    }
    if (mask >> limits_by_bit.size() != 0) {
        limits.push_back(ClockLimit::unknown);
    }
    return limits;
}

NvmlDevice::NvmlDevice(const OpenedNvml& opened, const std::string& bus)
    : library_(opened.library.value_or(NvmlLibrary())), refusal_(opened.refusal) {
    if (!opened.library) {
        return;
    }
    const NvmlStatus begun = library_.initialise ? library_.initialise() : nvml_function_not_found;
    if (begun != nvml_success) {
        refusal_ = "NVML does not begin: " + words_of_nvml(begun);
        return;
    }
    const auto found = ask_nvml<NvmlHandle>(library_.device_by_bus, bus.c_str());
    if (!found.value) {
        refusal_ = fmt::format("NVML does not give the device at {}: {}", printable(bus),
                               words_of_nvml(found.status));
        return;
    }
    handle_ = *found.value;
}

DeviceState NvmlDevice::state() const {
    DeviceState state;
    if (!refusal_.empty()) {
        return state;
    }
    state.core_clock = frequency(ask_nvml<unsigned>(library_.clock, handle_, nvml_clock_sm));
    state.memory_clock = frequency(ask_nvml<unsigned>(library_.clock, handle_, nvml_clock_memory));
    if (const auto power = ask_nvml<unsigned>(library_.power, handle_).value) {
        state.watts = *power * 1e-3;
    }
    if (const auto heat = ask_nvml<unsigned>(library_.temperature, handle_, chip_sensor).value) {
        state.celsius = *heat;
    }
    const auto rank = ask_nvml<unsigned>(library_.performance_state, handle_).value;
    if (rank && *rank < unknown_performance_state) {
        state.performance_state = static_cast<int>(*rank);
    }
    if (const auto mask = ask_nvml<unsigned long long>(library_.clock_limits, handle_).value) {
        state.limits = limits_of_mask(*mask);
    }
    state.other_processes = other_processes();
    return state;
}

// Queries only the number of processes, by passing no room for entries, whose layout differs
// between versions. The count includes this process, which cannot be identified by its process id
// because that differs in a container. If NVML does not see even this process, it sees none.
std::optional<int> NvmlDevice::other_processes() const {
    if (!library_.processes) {
        return {};
    }
    unsigned count = 0;
    const NvmlStatus status = library_.processes(handle_, &count, nullptr);
    const bool is_told = status == nvml_success || status == nvml_insufficient_size;
    return is_told && count > 0 ? std::optional(static_cast<int>(count) - 1) : std::nullopt;
}

std::map<std::string, std::string> NvmlWatch::describe() {
    auto words = device_.describe();
    words["gpu.name"] = name_;
    return words;
}

}  // namespace strata::cuda
