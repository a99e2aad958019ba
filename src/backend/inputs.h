// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

namespace strata {

// The value a tensor starts with: its own data where the network carries some, else drawn from
// (seed, tensor name) so that every backend and every process gets the same to the last bit:
// parameters normal with variance 2 / fan-in (He et al. 2015; RandomStream::normal), biases 0
// (scale 1, shift 0, mean 0, variance 1), inputs and constants uniform in [-1, 1), labels uniform
// over the classes, other whole numbers over the rows of the smallest table that they index (0 and
// 1 where they index none). All parameters of a recurrent layer are uniform in +-1 / sqrt(hidden),
// as PyTorch draws them, those of an embedding normal with deviation 1 / sqrt(width) (Vaswani et
// al. 2017). A parameter that an elementwise layer multiplies or divides by counts as a scale, as
// does an exponent; the slopes of a parametric ReLU are uniform in [-1/4, 1/4); another of an
// elementwise layer is a bias. Momentum starts at 0. What the first reader takes a root, a
// logarithm, a reciprocal or a power of is uniform in [1/2, 3/2), for an inverse hyperbolic cosine
// in [3/2, 5/2), so that it has a value. (Values that leave a domain in the midst of a network
// become no number in every backend, and two of those agree.)
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
