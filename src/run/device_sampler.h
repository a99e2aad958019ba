// SPDX-License-Identifier: MIT
#pragma once

#include "backend/device_watch.h"
#include "measure/clock.h"
#include "record/run.h"

#include <vector>

namespace strata {

// Queries a device's state a few times a second during a run, and records the answers in the run.
// Without a watch it does nothing.
class DeviceSampler {
public:
    DeviceSampler(DeviceWatch* watch, Clock& clock) : watch_(watch), clock_(clock) {}

    // Call between samples: queries the device if it is due.
    void ask_if_due();

    // Adds ranges to the run's provenance and doubts to its flags.
    void add_to(Run& run);

private:
    void ask();

    DeviceWatch* watch_;
    Clock& clock_;
    std::vector<DeviceState> states_;
    Seconds last_;
};

}  // namespace strata
