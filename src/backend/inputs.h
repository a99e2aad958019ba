// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

namespace strata {

// A tensor's initial value: its own data if the network has some, otherwise drawn from (seed,
// tensor name), so that every backend and process gets bit-identical values (RandomStream). The
// first layer that reads it determines the distribution (`draw_of` in op/op.h): inputs and
// constants uniform in [-1, 1) unless the operator is undefined there, labels uniform over the
// classes, weights normal with variance 2 / fan-in (He et al. 2015), biases 0, scales 1, or as the
// operator states. Other integers are uniform over the rows of the smallest table that they index,
// 0 and 1 if they index none. Momentum starts at 0. (A value that leaves a function's domain inside
// a network becomes NaN on every backend, and NaN compares equal to NaN.)
HostValues initial_values(const Graph& graph, TensorId tensor, std::uint64_t seed);

// The same, written to a backend's memory. Requires: room for the tensor's elements.
void fill_initial_values(const Graph& graph, TensorId tensor, std::uint64_t seed,
                         std::span<float> values);

// The gradient that an output of a network without a loss receives: uniform in [-1, 1) / elements
// of one image.
HostValues output_gradient(const Graph& graph, TensorId tensor, std::uint64_t seed);

// 0 if dropout drops element `index`, 1/(1-probability) if it keeps it; the same on every backend.
float dropout_scale(std::uint64_t seed, std::uint64_t index, double probability);

// The data of a tensor as f32, whatever the file's type. Throws Error if the data does not match
// the shape. Requires: the tensor carries data.
HostValues values_of(const GraphTensor& tensor);

}  // namespace strata
