// SPDX-License-Identifier: MIT
#pragma once

#include "simulate/cache.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace strata {

// The line and sector sizes of GPUs, in bytes.
inline constexpr std::uint64_t line_bytes = 128;
inline constexpr std::uint64_t sector_bytes = 32;
inline constexpr std::uint64_t sectors_of_line = line_bytes / sector_bytes;

// Lines that are touched together: rows of adjacent lines, a pitch apart.
struct LineTile {
    LineNumber first = 0;
    std::uint32_t rows = 0;
    std::uint32_t lines_per_row = 0;
    LineNumber pitch = 0;

    std::uint32_t lines() const { return rows * lines_per_row; }
};

// Appends make(line) for each line of a tile, row by row.
template <class Access, class Make>
void append_lines(const LineTile& tile, std::vector<Access>& accesses, Make&& make) {
    const std::size_t before = accesses.size();
    accesses.resize(before + tile.lines());
    Access* next = accesses.data() + before;
    for (std::uint32_t row = 0; row < tile.rows; ++row) {
        const LineNumber first = tile.first + row * tile.pitch;
        for (std::uint32_t i = 0; i < tile.lines_per_row; ++i) {
            *next++ = make(first + i);
        }
    }
}

// An access of a thread block to some sectors of each line of a tile.
struct TileAccess {
    LineTile tile;
    std::uint8_t sectors = 0xf;
    AccessKind kind = AccessKind::read;
    // Whether the kernel always accesses these lines together, so that they share one stack
    // distance.
    bool is_whole = false;
};

// A kernel's memory accesses: thread blocks with equal numbers of steps, and a block's accesses in
// each step. Shared memory is left out; a step's accesses to one sector count once, because the
// threads of a warp are served together.
class KernelAccesses {
public:
    virtual ~KernelAccesses() = default;
    virtual std::uint64_t blocks() const = 0;
    virtual std::uint64_t steps() const = 0;
    virtual void append(std::uint64_t block, std::uint64_t step,
                        std::vector<TileAccess>& accesses) const = 0;
};

// Collects ranges of bytes as accesses to their sectors; ranges that follow each other closely
// enough to share a sector become one.
class RangeAccesses {
public:
    RangeAccesses(AccessKind kind, std::vector<TileAccess>& accesses)
        : kind_(kind), accesses_(accesses) {}
    RangeAccesses(const RangeAccesses&) = delete;
    RangeAccesses& operator=(const RangeAccesses&) = delete;
    ~RangeAccesses() { end(); }

    void add(std::uint64_t begin, std::uint64_t end) {
        const std::uint64_t first = begin / sector_bytes;
        const std::uint64_t last = (end + sector_bytes - 1) / sector_bytes;
        if (first < first_ || first > end_) {
            this->end();
            first_ = first;
            end_ = last;
        } else {
            end_ = std::max(end_, last);
        }
    }

    // Closes the open range.
    void end();

private:
    AccessKind kind_;
    std::vector<TileAccess>& accesses_;
    std::uint64_t first_ = 0;  // sectors
    std::uint64_t end_ = 0;
};

}  // namespace strata
