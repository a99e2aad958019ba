// SPDX-License-Identifier: MIT
#pragma once

#include "measure/clock.h"

namespace strata::testing {

// A clock that advances only when told to.
class FakeClock final : public Clock {
public:
    Seconds now() override { return now_; }
    void advance(Seconds time) { now_ += time; }

private:
    Seconds now_;
};

}  // namespace strata::testing
