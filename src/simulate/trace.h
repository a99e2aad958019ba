// SPDX-License-Identifier: MIT
#pragma once

#include "simulate/hierarchy.h"

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

// A cache of any line's size: "size=32KiB,line=64,ways=8".
struct TraceCache {
    std::uint64_t bytes = 0;
    std::uint64_t line_bytes = 128;
    int ways = 16;

    CacheShape shape() const { return {static_cast<std::size_t>(bytes / line_bytes), ways}; }
};

// Throws Error, exit code usage, for an unknown key, an invalid size, a line that is not a power of
// two from 16 to 4,096 bytes, ways other than 1 to 16, and a cache without a set.
TraceCache parse_trace_cache(std::string_view text);

// An access of a trace.
struct TraceAccess {
    AccessKind kind = AccessKind::read;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
};

// Reads a trace line by line, in memory that does not depend on its length:
//
//     # r or w, address (decimal, or hexadecimal after 0x), bytes (1 to 1,048,576)
//     r 0x7f3a00001000 64
//     w 4096 4
class TraceReader {
public:
    // Errors name `origin`.
    TraceReader(std::istream& input, std::string origin)
        : input_(input), origin_(std::move(origin)) {}

    // The next access; nothing at the end. Throws Error, naming the line.
    std::optional<TraceAccess> next();

private:
    TraceAccess parsed(std::string_view line) const;
    [[noreturn]] void fail(std::string_view what) const;

    std::istream& input_;
    std::string origin_;
    std::uint64_t line_ = 0;
};

// A trace's hits in a cache, in lines: an access to several lines counts once for each. A write
// miss allocates its line, as in processors, so every miss reads a line from the level below, and
// every dirtied line is written there once.
struct SimulatedTrace {
    std::uint64_t accesses = 0;  // of the trace
    SectorCounts lines;
    MissKinds kinds;
    double hit_rate_error = 0;  // half of the 95 % confidence interval; 0 unless sampled
};

// Simulates a trace. Distinct lines are numbered by their first access, and the set of a line is a
// hash of its number. Memory is about 100 bytes for each of them. Throws Error for a trace of more
// than 2^24 distinct lines, and whatever the reader throws.
SimulatedTrace simulate_trace(TraceReader& trace, const TraceCache& cache, CacheEngine engine);

}  // namespace strata
