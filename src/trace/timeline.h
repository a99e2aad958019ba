// SPDX-License-Identifier: MIT
#pragma once

#include "trace/trace.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace strata {

// A period in which a device did nothing, between two of its spans.
struct LaunchGap {
    Nanoseconds length = {};
    std::size_t before = 0;  // the span that ended last before it
    std::size_t after = 0;   // the span that ended it: the one launched late
};

// What one device did and when. Indices refer to the spans from which it was made.
//   sum of spans - overlap + gaps = last - first, to the nanosecond.
struct Timeline {
    std::vector<std::size_t> order = {};  // spans with plausible stamps, by start
    std::size_t untimed = 0;              // spans without: in no sum, and never a time of 0
    Nanoseconds first = {};               // the first start
    Nanoseconds last = {};                // the last end
    Nanoseconds busy = {};                // time during which at least one span ran
    Nanoseconds overlap = {};             // sum of the spans minus `busy`: counted more than once
    std::vector<LaunchGap> gaps = {};     // in order of time
};

Timeline timeline_of(std::span<const Span> spans, std::uint32_t device);

// Devices that have spans, in ascending order.
std::vector<std::uint32_t> devices_of(std::span<const Span> spans);

}  // namespace strata
