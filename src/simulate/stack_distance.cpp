// SPDX-License-Identifier: MIT
#include "simulate/stack_distance.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace strata {

namespace {

constexpr int exact_bits = 13;
constexpr std::uint64_t steps_per_octave = std::uint64_t{1} << (exact_bits - 1);

// Slots per block and blocks per superblock: few enough to add all at once.
constexpr std::size_t fanout = 64;

std::size_t round_up(std::size_t count, std::size_t unit) {
    return (count + unit - 1) / unit * unit;
}

// The sum of those of 64 numbers that follow this one.
__attribute__((target_clones("avx512f", "arch=x86-64-v3", "default"))) std::uint32_t sum_after(
    const std::uint32_t* numbers, std::size_t one) {
    const auto first = static_cast<std::uint32_t>(one);
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < fanout; ++i) {
        sum += i > first ? numbers[i] : 0;
    }
    return sum;
}

// The Poisson probability of fewer than `ways` events with mean `mean`.
double poisson_below(int ways, double mean) {
    double term = std::exp(-mean);
    double sum = 0;
    for (int events = 0; events < ways; ++events) {
        sum += term;
        term *= mean / (events + 1);
    }
    return std::min(sum, 1.0);
}

}  // namespace

double hit_probability(double distance, double sets, int ways) {
    return poisson_below(ways, distance / sets);
}

// The leading bits of a large distance give its step, numbered consecutively across octaves.
std::size_t DistanceHistogram::step_of(std::uint64_t distance) {
    const int dropped = std::max(0, static_cast<int>(std::bit_width(distance)) - exact_bits);
    return static_cast<std::size_t>((distance >> dropped) +
                                    steps_per_octave * static_cast<std::uint64_t>(dropped));
}

std::uint64_t DistanceHistogram::smallest_in(std::size_t step) {
    if (step < 2 * steps_per_octave) {
        return step;
    }
    const std::uint64_t dropped = step / steps_per_octave - 1;
    return (step - steps_per_octave * dropped) << dropped;
}

void DistanceHistogram::add(std::uint64_t distance, std::uint64_t times) {
    const std::size_t step = step_of(distance);
    if (step >= counts_.size()) {
        counts_.resize(step + 1);
    }
    counts_[step] += times;
}

TileStackDistances::TileStackDistances(std::size_t tiles)
    : slot_of_(tiles, nowhere),
      tile_at_(round_up(2 * tiles + 1, fanout * fanout)),
      lines_at_(tile_at_.size()),
      block_sums_(tile_at_.size() / fanout),
      superblock_sums_(block_sums_.size() / fanout) {}

std::uint64_t TileStackDistances::touch(std::uint32_t tile, std::uint32_t lines) {
    accesses_ += lines;
    if (tile >= slot_of_.size()) {
        slot_of_.resize(std::max<std::size_t>(tile + std::size_t{1}, 2 * slot_of_.size()), nowhere);
    }
    std::uint64_t distance = never;
    const std::uint32_t slot = slot_of_[tile];
    if (slot == nowhere) {
        cold_ += lines;
    } else {
        distance = lines_after(slot) + lines - 1;
        distances_.add(distance, lines);
        if (slot + 1 == next_) {  // nothing else was touched since
            return distance;
        }
        add(slot, 0 - lines);
    }
    if (next_ == tile_at_.size()) {
        compact();
    }
    slot_of_[tile] = static_cast<std::uint32_t>(next_);
    tile_at_[next_] = tile;
    add(next_, lines);
    ++next_;
    return distance;
}

std::uint64_t TileStackDistances::lines_after(std::size_t slot) const {
    const std::size_t block = slot / fanout;
    const std::size_t superblock = block / fanout;
    std::uint64_t sum = sum_after(&lines_at_[block * fanout], slot % fanout) +
                        sum_after(&block_sums_[superblock * fanout], block % fanout);
    for (std::size_t i = superblock + 1; i * fanout * fanout < next_; ++i) {
        sum += superblock_sums_[i];
    }
    return sum;
}

// (A negative number of lines wraps around, and adding it wraps back to the right sum.)
void TileStackDistances::add(std::size_t slot, std::uint32_t lines) {
    lines_at_[slot] += lines;
    block_sums_[slot / fanout] += lines;
    superblock_sums_[slot / fanout / fanout] += lines;
}

// Closes the gaps. At least twice as many slots as tiles remain, so it costs a constant per touch.
void TileStackDistances::compact() {
    const auto used = static_cast<std::size_t>(
        std::ranges::count_if(lines_at_, [](std::uint32_t lines) { return lines != 0; }));
    const std::size_t slots = std::max(tile_at_.size(), round_up(2 * used + 1, fanout * fanout));
    const std::vector<std::uint32_t> lines =
        std::exchange(lines_at_, std::vector<std::uint32_t>(slots));
    tile_at_.resize(slots);
    block_sums_.assign(slots / fanout, 0);
    superblock_sums_.assign(slots / fanout / fanout, 0);
    std::size_t to = 0;
    for (std::size_t from = 0; from < next_; ++from) {
        if (lines[from] != 0) {
            tile_at_[to] = tile_at_[from];
            slot_of_[tile_at_[to]] = static_cast<std::uint32_t>(to);
            add(to++, lines[from]);
        }
    }
    next_ = to;
}

double TileStackDistances::hit_rate(double capacity_lines) const {
    double hits = 0;
    distances_.each([&](std::uint64_t distance, std::uint64_t times) {
        if (static_cast<double>(distance) < capacity_lines) {
            hits += static_cast<double>(times);
        }
    });
    return accesses_ == 0 ? 0 : hits / static_cast<double>(accesses_);
}

double TileStackDistances::hit_rate(double capacity_lines, int ways) const {
    const double sets = capacity_lines / ways;
    double hits = 0;
    distances_.each([&](std::uint64_t distance, std::uint64_t times) {
        hits +=
            static_cast<double>(times) * poisson_below(ways, static_cast<double>(distance) / sets);
    });
    return accesses_ == 0 ? 0 : hits / static_cast<double>(accesses_);
}

}  // namespace strata
