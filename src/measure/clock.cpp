// SPDX-License-Identifier: MIT
#include "measure/clock.h"

#include "base/error.h"

#include <omp.h>

#include <algorithm>
#include <chrono>

namespace strata {

Seconds SteadyClock::now() {
    // A double holds a year of nanoseconds, counted from boot, to 4 ns.
    return {
        std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count()};
}

namespace {

constexpr Seconds wanted{0.7e-3};
constexpr std::size_t trial_length = 20'000;
constexpr int calibration_trials = 5;

// Floating-point arithmetic must keep its order, so this is not vectorised. It starts near its
// fixed point 1; at exactly 1 the compiler could see that nothing changes.
double chain(std::size_t length) {
    double value = 2;
    for (std::size_t i = 0; i < length; ++i) {
        value = value * 0.999 + 0.001;
    }
    return value;
}

// Threads that sleep take up to milliseconds to wake on an idle virtual machine.
Seconds timed(int threads, std::size_t length) {
    SteadyClock clock;
    Seconds begin;
    double sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
#pragma omp barrier
#pragma omp master
        begin = clock.now();
        sum += chain(length);
    }
    check(sum > 0, "the calibration loop has a result");
    return clock.now() - begin;
}

std::size_t length_for(Seconds time) {
    Seconds minimum{1};
    for (int trial = 0; trial < calibration_trials; ++trial) {
        minimum = std::min(minimum, timed(1, trial_length));
    }
    return std::max(trial_length,
                    static_cast<std::size_t>(static_cast<double>(trial_length) * (time / minimum)));
}

}  // namespace

CalibrationLoop::CalibrationLoop(int threads) : threads_(threads), length_(length_for(wanted)) {
    check(threads >= 1, "a calibration loop needs a thread");
    timed(threads_, length_);  // wakes the threads
}

Seconds CalibrationLoop::run() const {
    return timed(threads_, length_);
}

}  // namespace strata
