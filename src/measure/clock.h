// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <cstddef>

namespace strata {

// Monotonic time since an arbitrary moment. An interface, so that the sampler can be tested.
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

// Fixed work that touches no memory: a chain of dependent multiplications and additions, on as many
// threads as the iteration uses. Its time, which begins when all of them are awake, depends only on
// the clock and on competing load, so when it is slow, the machine was disturbed and not the
// network.
class CalibrationLoop {
public:
    // Uses OpenMP's threads, hence the same pinned ones as the network. Chooses the length of the
    // chain so that it takes about 0.7 ms. Requires: threads >= 1.
    explicit CalibrationLoop(int threads);

    // Runs once on every thread; returns the time until the last has finished.
    Seconds run() const;

private:
    int threads_;
    std::size_t length_;
};

}  // namespace strata
