// SPDX-License-Identifier: MIT
#pragma once

#include "graph/schedule.h"

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace strata {

// A piece of memory that one execution needs from its first task to its last, inclusive.
struct Lifetime {
    Bytes size;
    std::size_t first_task = 0;
    std::size_t last_task = 0;
};

// The offset of each piece in one arena, and the arena's size. Pieces that are alive at the same
// time do not overlap; offsets are multiples of `alignment`.
struct ArenaPlan {
    std::vector<std::size_t> offsets;
    Bytes size;
};

// Greedy by size: the largest piece first, each at the lowest offset that is free for its whole
// life. Throws Error if the arena exceeds the address space.
ArenaPlan plan_arena(std::span<const Lifetime> lifetimes, std::size_t alignment = 64);

// The content of a buffer. If several layers read a tensor, the last of them, first in the backward
// pass, writes the gradient itself; each other one writes a contribution that is added to it.
enum class BufferKind { value, gradient, contribution, saved };
inline constexpr std::array<std::string_view, 4> names_of(BufferKind) {
    return {"value", "gradient", "contribution", "saved"};
}

// A buffer of one execution: its owner, its size, and the first and last task of `schedule_of` that
// need it. Tensors that share memory (sharing_of) have one buffer, under their owner's name; saved
// state (masks, indices) is listed under the layer's first output.
struct Buffer {
    BufferKind kind = BufferKind::value;
    TensorId tensor = 0;
    Lifetime lifetime;
};

// Every buffer of an execution except parameters, statistics, constants and the optimizer's state,
// which always exist. Inputs, labels, computed outputs and external gradients live to
// the end of the run; if memory is kept, everything lives from start to end. Activations
// and their gradients have Execution::dtype, gradients of parameters the parameter's
// type.
std::vector<Buffer> lifetimes_of(const Graph& graph, const Execution& execution);

// The total size of these buffers at each task, up to the last task at which one of them lives.
std::vector<Bytes> needed_by_task(std::span<const Buffer> buffers);

// Whether tensors of this role always exist: parameters, statistics, constants.
bool is_persistent(Role role);

// Memory of one execution, by purpose. The peak is what is alive at the worst moment, at most the
// sum of the parts.
struct Footprint {
    Bytes parameters;   // including statistics and constants
    Bytes optimizer;    // kept between iterations: momentum, moments
    Bytes activations;  // activations alive at their worst moment, by liveness
    Bytes gradients;    // gradients of activations and weights, likewise
    Bytes saved;        // masks and indices, likewise
    Bytes peak;         // parameters + optimizer + the worst moment of the rest together
};

// By liveness over `schedule_of`: the memory of the engine's plan, without library workspaces.
Footprint footprint_of(const Graph& graph, const Execution& execution);

// Caffe's log line "Memory required for data": 4 bytes x the elements of every layer's top blob.
// In-place layers count again, and a tensor read by several layers counts one Split copy per reader
// (anchor: the logs of convnet-benchmarks).
Bytes caffe_data_bytes(const Graph& graph);

// A model of what a Caffe training process holds: 8 bytes x the elements of every blob (value and
// gradient) and 12 bytes x the parameters (value, gradient, momentum). Activations and dropout work
// in place and reshapes share their input, so they have no blobs; labels, losses and Split copies
// are left out. This is our reading of the memory chart of Zhao et al. 2017, whose figure has no
// numbers.
Bytes caffe_training_bytes(const Graph& graph);

}  // namespace strata
