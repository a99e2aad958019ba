// SPDX-License-Identifier: MIT
#pragma once

#include "graph/schedule.h"

#include <span>
#include <vector>

namespace strata {

// A piece of memory that one execution needs from its first task to its last (both included).
struct Lifetime {
    Bytes size;
    std::size_t first_task = 0;
    std::size_t last_task = 0;
};

// Where each piece lies in one arena, and the arena's size. No two pieces that are alive together
// overlap; offsets are multiples of `alignment`.
struct ArenaPlan {
    std::vector<std::size_t> offsets;
    Bytes size;
};

// Greedy by size: the largest piece first, each at the lowest offset that is free for its whole
// life.
ArenaPlan plan_arena(std::span<const Lifetime> lifetimes, std::size_t alignment = 64);

// Memory of one execution, by purpose. Peak is what is alive at the worst moment and is at most the
// sum of the parts.
struct Footprint {
    Bytes parameters;
    Bytes optimizer;    // momentum
    Bytes activations;  // values alive together at the worst moment, by liveness
    Bytes gradients;    // of activations and weights, likewise
    Bytes peak;  // parameters + optimizer + the worst moment of values, gradients, saved state
};

// By liveness over `schedule_of`: what the engine's own plan needs, without library workspaces.
Footprint footprint_of(const Graph& graph, const Execution& execution);

// Caffe's log line "Memory required for data": 4 bytes x the elements of every layer's top blob.
// In-place layers count again, and each tensor read by several layers counts one Split copy a
// reader (published-number anchors: convnet-benchmarks logs).
Bytes caffe_data_bytes(const Graph& graph);

}  // namespace strata
