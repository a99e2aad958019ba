// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace strata {

// Per second.
using Frequency = Quantity<-1, 0, 0>;

// Why a device's clock is below its maximum. The first two are not disturbances: idleness, and a
// limit set by the user.
enum class ClockLimit {
    idle,
    setting,
    power_cap,
    hardware_slowdown,
    sync_boost,
    software_thermal,
    hardware_thermal,
    power_brake,
    display,
    unknown,
};
inline constexpr std::array<std::string_view, 10> names_of(ClockLimit) {
    return {"idle",
            "a clock that was set",
            "the power limit",
            "a hardware slowdown",
            "the clocks of other GPUs (sync boost)",
            "heat",
            "heat (hardware)",
            "the power brake",
            "the display's clock",
            "a reason unknown to strata"};
}

// The state that a separate device (a GPU) reports at one moment. A value that it does not report
// is absent, which is not 0.
struct DeviceState {
    std::optional<Frequency> core_clock = {};  // of its multiprocessors
    std::optional<Frequency> memory_clock = {};
    std::optional<double> watts = {};
    std::optional<double> celsius = {};
    std::optional<int> performance_state = {};           // 0 is the fastest
    std::optional<int> other_processes = {};             // other processes that compute on it
    std::optional<std::vector<ClockLimit>> limits = {};  // empty: nothing limits the clock
};

}  // namespace strata
