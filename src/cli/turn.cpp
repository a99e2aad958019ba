// SPDX-License-Identifier: MIT
#include "cli/turn.h"

#include "cli/interrupt.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace strata {

namespace {

constexpr auto between_attempts = std::chrono::milliseconds(100);

void tell_of_wait(const MachineLock& lock) {
    const auto holder = lock.holder();
    fmt::print(stderr,
               "strata: waiting, as another strata{} measures on this machine; --no-wait measures "
               "beside it\n",
               holder ? fmt::format(" (process {})", *holder) : std::string());
}

}  // namespace

Turn take_turn(WhereTaken where_taken) {
    Turn turn;
    if (where_taken == WhereTaken::measure_anyway) {
        turn.is_shared = !turn.lock.try_take();
        return turn;
    }
    bool told = false;
    while (!turn.lock.try_take() && !InterruptGuard::requested()) {
        if (!told) {
            tell_of_wait(turn.lock);
            told = true;
        }
        std::this_thread::sleep_for(between_attempts);
    }
    return turn;
}

}  // namespace strata
