// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/image.h"

#include <cstddef>

namespace strata::cpu {

// Sums that follow the products of a convolution.

// gradient[channel] = the sum of all elements of dy's channel; in parallel, and independent of the
// number of threads.
void bias_gradient(const ImageView& dy, float* gradient);

// sum[count] = the sum of `part_count` arrays, `step` floats apart, in their order; in parallel.
void sum_parts(const float* parts, std::size_t part_count, std::size_t step, std::size_t count,
               float* sum);

}  // namespace strata::cpu
