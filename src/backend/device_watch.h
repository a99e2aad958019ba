// SPDX-License-Identifier: MIT
#pragma once

#include "measure/device_state.h"

#include <map>
#include <string>

namespace strata {

// Reports the current and past state of a backend's own device, for provenance and doubts. A query
// can take some milliseconds, so it is never made while something is timed.
class DeviceWatch {
public:
    virtual ~DeviceWatch() = default;

    // The known properties that do not change during a run:
    //
    //   gpu.name    NVIDIA H200      gpu.core_clock.most      1980 MHz   gpu.persistence   on
    //   gpu.uuid    GPU-5f0c...      gpu.core_clock.setting   1980 MHz   gpu.ecc           on
    //   gpu.driver  580.65.06        gpu.memory_clock.most    3201 MHz   gpu.compute_mode  default
    //   gpu.nvml    13.580.65.06     gpu.power.limit          700 W      gpu.mig           off
    //
    // gpu.nvml is "absent: " and the reason if the device reports nothing about its state;
    // gpu.nvml.refused names what cannot be read, and why.
    virtual std::map<std::string, std::string> describe() = 0;

    virtual DeviceState state() = 0;
};

// Whether work on a device of this process has hung. From then on nothing calls the vendor's
// libraries, not even to free something: such a call may wait for that work.
bool device_hangs() noexcept;

// Marks the device as hung. The process will then end without the vendor's exit handlers, which may
// wait too, but with its intended exit code.
void give_up_device() noexcept;

}  // namespace strata
