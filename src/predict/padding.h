// SPDX-License-Identifier: MIT
#pragma once

#include "predict/convolution.h"
#include "predict/gemm.h"
#include "predict/recurrent.h"

#include <optional>
#include <span>

namespace strata {

// A library's choices make steps: other kernels from a batch of 17, matrix units if channels are
// multiples of eight, another split from a sum of 512. Beyond such a step, a larger problem may be
// faster. A caller with the smaller problem may pad it, so it never needs to take longer than the
// larger one: these plans pad if that is faster. (Tables of measured kernels are predicted as they
// ran, unpadded: predict/rates.h.)

// A product with its kernel, padded to the problem that runs.
struct ProductPlan {
    GemmKernel kernel;
    GemmPrediction prediction;
    GemmProblem padded;
};
ProductPlan planned_product(const GemmProblem& problem, std::span<const GemmKernel> candidates,
                            const DeviceDescription& device, const GemmRates& rates);

// The same convolution, padded to the channels and filters that matrix units need; nothing if it
// has them, or if none would be used.
std::optional<ConvolutionProblem> padded_for_matrix_units(const ConvolutionProblem& problem,
                                                          const DeviceDescription& device);

// The steps with this many sequences, or with more.
RecurrentPrediction planned_steps(const RecurrentProblem& problem, const DeviceDescription& device,
                                  const RecurrentRates& rates);

}  // namespace strata
