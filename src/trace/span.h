// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

// Time stamps and durations of a device's clock, in whole nanoseconds, because a stamp since 1970
// has more digits than a double.
using Nanoseconds = std::chrono::nanoseconds;

constexpr Seconds seconds_of(Nanoseconds time) {
    return {static_cast<double>(time.count()) * 1e-9};
}

// The kinds of work of a device.
enum class SpanKind { kernel, copy, fill };
inline constexpr std::array<std::string_view, 3> names_of(SpanKind) {
    return {"kernel", "copy", "fill"};
}

// The extent of a launch along its three axes.
struct LaunchExtent {
    std::uint32_t x = 1;
    std::uint32_t y = 1;
    std::uint32_t z = 1;

    bool operator==(const LaunchExtent&) const = default;
};

// The shape with which a kernel was launched, and the multiprocessor resources that each of its
// blocks uses.
struct LaunchShape {
    LaunchExtent grid = {};       // blocks
    LaunchExtent block = {};      // threads of a block
    std::uint32_t registers = 0;  // per thread
    Bytes static_shared = {};     // per block
    Bytes dynamic_shared = {};    // per block

    bool operator==(const LaunchShape&) const = default;
};

// One piece of work on a device, as a tracer recorded it: a kernel, a copy, a fill.
struct Span {
    SpanKind kind = SpanKind::kernel;
    std::string name = {};  // in full, with template arguments; for a copy its direction
    std::uint32_t device = 0;
    std::uint32_t stream = 0;
    Nanoseconds start = {};  // by the device's clock; 0 where no stamp could be taken
    Nanoseconds end = {};
    std::uint32_t correlation = 0;           // of the call that launched it; 0: not recorded
    std::uint64_t graph_node = 0;            // that launched it; 0: not part of a graph launch
    std::optional<LaunchShape> launch = {};  // of kernels only
    std::optional<Bytes> bytes = {};         // of copies and fills only

    bool operator==(const Span&) const = default;
};

// Whether its stamps are plausible: both taken, in order, and less than an hour apart (tracers
// occasionally record garbage, and one such span would dwarf all others).
bool is_timed(const Span& span);

// Requires: is_timed.
Nanoseconds duration_of(const Span& span);

}  // namespace strata
