// SPDX-License-Identifier: MIT
#include "cli/measuring_lock.h"

#include "cli/interrupt.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace strata {

namespace {

constexpr auto between_attempts = std::chrono::milliseconds(100);

void announce_wait(const MachineLock& lock) {
    const auto holder = lock.holder();
    fmt::print(stderr,
               "strata: waiting for another strata{} that is measuring on this machine; --no-wait "
               "measures anyway\n",
               holder ? fmt::format(" (process {})", *holder) : std::string());
}

}  // namespace

MeasuringLock acquire_measuring_lock(WhenLocked when_locked) {
    MeasuringLock lock;
    if (when_locked == WhenLocked::measure_anyway) {
        lock.is_shared = !lock.lock.try_acquire();
        return lock;
    }
    bool told = false;
    while (!lock.lock.try_acquire() && !InterruptGuard::requested()) {
        if (!told) {
            announce_wait(lock.lock);
            told = true;
        }
        std::this_thread::sleep_for(between_attempts);
    }
    return lock;
}

}  // namespace strata
