// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace strata {

// The work of one thread of a team in a round.
using Round = std::function<void()>;

// Runs rounds at the same time on one thread per processor, each bound to its own if the system
// allows it. `prepare` is called on each thread with its index and returns its work. `rounds` is
// the number of timed rounds, which follow an untimed one. Returns the time of each round, from the
// first thread's start to the last one's end. Requires: processors not empty.
std::vector<Seconds> run_rounds(std::span<const int> processors, std::size_t rounds,
                                const std::function<Round(std::size_t thread)>& prepare);

// Memory for a team of threads: each thread has `count` segments of `floats` floats. It touches
// them first, so they are allocated near its processor. Large pages are requested, because page
// tables should not limit a ceiling.
class Segments {
public:
    // Throws Error if there is not enough free memory.
    Segments(std::span<const int> processors, std::size_t count, std::size_t floats);
    Segments(const Segments&) = delete;
    Segments& operator=(const Segments&) = delete;
    ~Segments();

    // A thread's segment for a round; rounds cycle through the segments.
    std::span<float> of(std::size_t thread, std::size_t round) const;

    // Bytes of one segment.
    double bytes() const { return static_cast<double>(floats_ * sizeof(float)); }

private:
    std::size_t count_;
    std::size_t floats_;
    std::size_t stride_;  // bytes between the first segments of consecutive threads
    std::size_t bytes_;   // total bytes
    void* memory_;
};

}  // namespace strata
