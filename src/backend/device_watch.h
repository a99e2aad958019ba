// SPDX-License-Identifier: MIT
#pragma once

#include "measure/device_state.h"

#include <map>
#include <string>

namespace strata {

// Tells how a device of a backend's own is and was, for provenance and doubts. Asking takes up to
// some milliseconds: never while something is timed.
class DeviceWatch {
public:
    virtual ~DeviceWatch() = default;

    // What does not change while a run continues, as far as it is told:
    //
    //   gpu.name    NVIDIA H200      gpu.core_clock.most      1980 MHz   gpu.persistence   on
    //   gpu.uuid    GPU-5f0c...      gpu.core_clock.setting   1980 MHz   gpu.ecc           on
    //   gpu.driver  580.65.06        gpu.memory_clock.most    3201 MHz   gpu.compute_mode  default
    //   gpu.nvml    13.580.65.06     gpu.power.limit          700 W      gpu.mig           off
    //
    // gpu.nvml is "absent: " and the reason where the device tells nothing of its state;
    // gpu.nvml.refused names what may not be read, and why.
    virtual std::map<std::string, std::string> describe() = 0;

    virtual DeviceState state() = 0;
};

}  // namespace strata
