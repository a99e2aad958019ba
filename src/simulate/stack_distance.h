// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace strata {

// A histogram: exact below 8192, beyond that in steps of at most 1/4096 of the value, so its size
// depends only on the largest value's logarithm.
class DistanceHistogram {
public:
    void add(std::uint64_t distance, std::uint64_t times);

    // Calls f(distance, times) in ascending order, with the smallest distance of each step.
    template <class F>
    void each(F&& f) const {
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            if (counts_[i] != 0) {
                f(smallest_in(i), counts_[i]);
            }
        }
    }

private:
    static std::size_t step_of(std::uint64_t distance);
    static std::uint64_t smallest_in(std::size_t step);

    std::vector<std::uint64_t> counts_;
};

// The probability that a line of this stack distance hits in a cache whose sets are chosen by a
// hash. The number of lines that fell into its set since its last touch is Poisson distributed with
// mean distance / sets (Smith 1978); it hits if that is less than the ways.
double hit_probability(double distance, double sets, int ways);

// LRU stack distances of tiles (engine E2): one pass gives the hit rate of every capacity.
//
// A tile is a part of a tensor whose lines are touched together, so all of them have the same
// distance: the lines of other tiles that were touched since, plus its own (Mattson et al. 1970).
// Tiles occupy slots in the order of their last touch; sums over 64 slots, and over 64 such sums,
// give the lines in all slots after a tile's with few additions (Olken 1981 used a tree).
class TileStackDistances {
public:
    // The distance of a tile's first touch.
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    // Tiles are numbered from 0; touching a larger number makes room for it.
    explicit TileStackDistances(std::size_t tiles = 0);

    // Touches all lines of a tile and returns their distance. Requires: their number is the same
    // each time, and that of all tiles together is below 2^32.
    std::uint64_t touch(std::uint32_t tile, std::uint32_t lines);

    std::uint64_t accesses() const { return accesses_; }       // of lines
    std::uint64_t compulsory_misses() const { return cold_; }  // each line's first touch

    // The hit rate of a fully associative LRU cache of this many lines: exact up to the histogram's
    // resolution.
    double hit_rate(double capacity_lines) const;

    // The same for sets of `ways` ways chosen by a hash of the line.
    double hit_rate(double capacity_lines, int ways) const;

private:
    std::uint64_t lines_after(std::size_t slot) const;
    void add(std::size_t slot, std::uint32_t lines);
    void compact();

    static constexpr std::uint32_t nowhere = 0xffffffff;

    std::vector<std::uint32_t> slot_of_;          // by tile
    std::vector<std::uint32_t> tile_at_;          // by slot; abandoned slots stay until compact()
    std::vector<std::uint32_t> lines_at_;         // by slot
    std::vector<std::uint32_t> block_sums_;       // of 64 slots
    std::vector<std::uint32_t> superblock_sums_;  // of 64 blocks
    std::size_t next_ = 0;                        // the first unused slot
    std::uint64_t accesses_ = 0;
    std::uint64_t cold_ = 0;
    DistanceHistogram distances_;
};

}  // namespace strata
