// SPDX-License-Identifier: MIT
#pragma once

#include "backend/device_watch.h"
#include "measure/clock.h"
#include "record/run.h"

#include <vector>

namespace strata {

// Asks a device how it is while a run continues, a few times a second, and leaves what it heard in
// the run. Without a watch it does nothing.
class DeviceSampler {
public:
    DeviceSampler(DeviceWatch* watch, Clock& clock) : watch_(watch), clock_(clock) {}

    // Between two samples: asks if it is time.
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
