// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/network_size.h"
#include "networks/generate/generator.h"
#include "sweep/spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

// One combination of a sweep.
struct GridPoint {
    std::int64_t index = 0;  // in the grid, from 0
    std::string network;     // canonical: "fc:layers=4,nodes=32,inputs=2000,outputs=200"
    std::int64_t batch = 1;
    std::size_t settings = 0;  // of SweepSpec::settings
    std::string target;        // backend, or device
};

// A point's position in the grid, as indices.
struct GridPlace {
    std::int64_t index = 0;
    std::int64_t network = 0;  // all members of the first family, then those of the second
    std::int64_t batch = 1;
    std::size_t settings = 0;  // of SweepSpec::settings
    std::size_t target = 0;    // index into SweepSpec::devices, or backends
};
// Requires: 0 <= index.
GridPlace place_of(const SweepSpec& spec, std::int64_t index);
// Requires: a network of the grid.
Generator network_of(const SweepSpec& spec, std::int64_t network);

// The sizes of its networks with this batch; if there are more than `max_sizes`, only that many,
// evenly spaced.
std::vector<NetworkSize> sizes_of(const SweepSpec& spec, std::int64_t batch,
                                  std::int64_t max_sizes);

// Sizes are the outermost loops, then the batch, the settings, and the backend or device, which
// changes fastest. A grid is stored only as its specification: any point is computed from its
// index.
GridPoint point_of(const SweepSpec& spec, std::int64_t index);

// Throws Error (usage) beyond max_sweep_points.
std::int64_t count_points(const SweepSpec& spec);

// How many points one network has: batches x settings x targets.
std::int64_t points_per_network(const SweepSpec& spec);

// The point in the middle of the first family's sizes, at a middle batch. It is measured repeatedly
// to see whether the machine has changed.
std::int64_t anchor_of(const SweepSpec& spec);

// The job that measures a point.
Job job_of(const SweepSpec& spec, const GridPoint& point);

// A permutation of 0..count-1 that depends only on the seed and takes no memory: four rounds of a
// Feistel network over the next power of four, walked until the value is in range (Black and
// Rogaway 2002, "Ciphers with arbitrary finite domains", section 4).
class ShuffledOrder {
public:
    ShuffledOrder(std::int64_t count, std::uint64_t seed);
    // Requires: 0 <= position < count.
    std::int64_t at(std::int64_t position) const;
    std::int64_t count() const { return count_; }

private:
    std::uint64_t mixed(std::uint64_t value) const;

    std::int64_t count_;
    std::uint64_t seed_;
    unsigned half_bits_ = 1;
};

// A part of a sweep: every count-th place in its order. All parts together are the sweep, and no
// two share a point.
struct Shard {
    std::int64_t index = 1;  // from 1
    std::int64_t count = 1;

    bool has(std::int64_t place) const { return place % count == index - 1; }
    // How many of this many places belong to it.
    std::int64_t size(std::int64_t places) const {
        return places / count + (places % count >= index ? 1 : 0);
    }
};

// "3/16"; or "slurm": SLURM_ARRAY_TASK_ID from SLURM_ARRAY_TASK_MIN on, of SLURM_ARRAY_TASK_COUNT.
// Throws Error (usage) for anything else, and if these variables are missing.
Shard parse_shard(const std::string& text);

}  // namespace strata
