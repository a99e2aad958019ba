// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

namespace strata {

// Monotonic time since some moment. An interface, so that the sampler can be tested.
class Clock {
public:
    virtual ~Clock() = default;
    virtual Seconds now() = 0;
};

// The machine's monotonic clock, in nanoseconds; a reading costs about 25 ns.
class SteadyClock final : public Clock {
public:
    Seconds now() override;
};

}  // namespace strata
