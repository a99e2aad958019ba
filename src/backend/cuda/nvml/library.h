// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

namespace strata::cuda {

// The status that NVML's functions return: 0 is success.
using NvmlStatus = int;
inline constexpr NvmlStatus nvml_success = 0;
inline constexpr NvmlStatus nvml_not_supported = 3;
inline constexpr NvmlStatus nvml_no_permission = 4;
inline constexpr NvmlStatus nvml_insufficient_size = 7;
inline constexpr NvmlStatus nvml_function_not_found = 13;

// NVML's handle of a device.
using NvmlHandle = void*;

// Clock domains.
inline constexpr unsigned nvml_clock_sm = 1;
inline constexpr unsigned nvml_clock_memory = 2;

// The functions of NVIDIA's management library that we use, with prototypes declared here, because
// the driver ships the library without its header. A function that the installed library lacks is
// empty. (NVML API Reference Guide, R580.) Numbers are 32 bits, masks 64.
struct NvmlLibrary {
    template <class... Arguments>
    using Function = std::function<NvmlStatus(Arguments...)>;
    using Text = Function<char*, unsigned>;  // buffer, its size
    using DeviceText = Function<NvmlHandle, char*, unsigned>;
    using DeviceNumber = Function<NvmlHandle, unsigned*>;
    using DeviceClock = Function<NvmlHandle, unsigned, unsigned*>;    // domain, MHz
    using DeviceSwitch = Function<NvmlHandle, unsigned*, unsigned*>;  // current, after a restart

    Function<> initialise = {};
    Function<const char*, NvmlHandle*> device_by_bus = {};  // by bus id, "0000:1B:00.0"
    Text driver_version = {};
    Text library_version = {};
    DeviceText uuid = {};
    DeviceClock clock = {};
    DeviceClock max_clock = {};
    DeviceClock set_clock = {};                                   // the applications' clock
    DeviceNumber power = {};                                      // mW
    DeviceNumber power_limit = {};                                // mW
    Function<NvmlHandle, unsigned, unsigned*> temperature = {};   // sensor 0: the chip; C
    Function<NvmlHandle, unsigned long long*> clock_limits = {};  // mask of reasons
    DeviceNumber performance_state = {};                          // 32: unknown
    DeviceSwitch ecc = {};
    DeviceSwitch mig = {};
    DeviceNumber persistence = {};
    DeviceNumber compute_mode = {};
    Function<NvmlHandle, unsigned*, void*> processes = {};  // capacity and count, entries
};

// The address of a function of that name, or nullptr.
using SymbolSource = std::function<void*(const char* name)>;

// Binds each function by the newest name that the source knows.
NvmlLibrary bind_nvml(const SymbolSource& symbol_of);

// libnvidia-ml.so.1, or why it cannot be opened. It stays open until the program ends.
struct OpenedNvml {
    std::optional<NvmlLibrary> library = {};
    std::string refusal = {};
};
OpenedNvml open_nvml();

// The meaning of a status: "no permission", "not supported by this device".
std::string words_of_nvml(NvmlStatus status);

// NVML's answer to a query: a value, or the status that says why there is none.
template <class Value>
struct NvmlAnswer {
    std::optional<Value> value = {};
    NvmlStatus status = nvml_success;
};

// Calls a function whose last argument is the output pointer.
template <class Value, class Function, class... Given>
NvmlAnswer<Value> ask_nvml(const Function& function, Given... given) {
    if (!function) {
        return {{}, nvml_function_not_found};
    }
    Value value = {};
    const NvmlStatus status = function(given..., &value);
    return status == nvml_success ? NvmlAnswer<Value>{value} : NvmlAnswer<Value>{{}, status};
}

// The same for a function that writes into a buffer.
template <class Function, class... Given>
NvmlAnswer<std::string> ask_nvml_text(const Function& function, Given... given) {
    if (!function) {
        return {{}, nvml_function_not_found};
    }
    std::array<char, 128> text = {};  // NVML's own limits are 80 and 96
    const NvmlStatus status = function(given..., text.data(), unsigned{text.size() - 1});
    return status == nvml_success ? NvmlAnswer<std::string>{std::string(text.data())}
                                  : NvmlAnswer<std::string>{{}, status};
}

}  // namespace strata::cuda
