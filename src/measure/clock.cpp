// SPDX-License-Identifier: MIT
#include "measure/clock.h"

#include <chrono>

namespace strata {

Seconds SteadyClock::now() {
    // A double holds a year of nanoseconds, counted from boot, to 4 ns.
    return {
        std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count()};
}

}  // namespace strata
