// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

namespace strata {

// The value a tensor starts with: its own data where the network carries some, else drawn from
// (seed, tensor name) so that every backend and every process gets the same to the last bit
// (RandomStream). The first layer that reads it says how (`draw_of` in op/op.h): inputs and
// constants uniform in [-1, 1) unless the operator has no value there, labels uniform over the
// classes, weights normal with variance 2 / fan-in (He et al. 2015), biases 0, scales 1, or as the
// operator states. Other whole numbers are uniform over the rows of the smallest table that they
// index, 0 and 1 where they index none. Momentum starts at 0. (Values that leave a domain in the
// midst of a network become no number in every backend, and two of those agree.)
HostValues initial_values(const Graph& graph, TensorId tensor, std::uint64_t seed);

// The same, written where a backend wants it. Requires: room for the tensor's elements.
void fill_initial_values(const Graph& graph, TensorId tensor, std::uint64_t seed,
                         std::span<float> values);

// The gradient that a network without a loss receives at an output: uniform in [-1, 1) / elements
// of one image.
HostValues output_gradient(const Graph& graph, TensorId tensor, std::uint64_t seed);

// 0 where dropout drops element `index` and 1/(1-probability) where it keeps it; the same on every
// backend.
float dropout_scale(std::uint64_t seed, std::uint64_t index, double probability);

// Values of tensors that carry data as f32, whatever the file holds. Throws Error where the data
// does not fill the shape. Requires: the tensor carries data.
HostValues values_of(const GraphTensor& tensor);

}  // namespace strata
