// SPDX-License-Identifier: MIT
#pragma once

#include "predict/convolution.h"
#include "predict/gemm.h"
#include "predict/recurrent.h"

#include <optional>
#include <span>

namespace strata {

// A library's choice makes steps: other kernels from a batch of 17 on, matrix units from channels
// in eights on, another split from a sum of 512 on. Beyond such a step a larger problem may be
// faster. Whoever wants the smaller one may pad it, so that it never takes longer than the larger
// one: these plans do so if it is faster. (Tables of measured kernels are predicted as they ran,
// unpadded: predict/rates.h.)

// A product with its kernel, as which it runs.
struct ProductPlan {
    GemmKernel kernel;
    GemmPrediction prediction;
    GemmProblem padded;
};
ProductPlan planned_product(const GemmProblem& problem, std::span<const GemmKernel> candidates,
                            const DeviceDescription& device, const GemmRates& rates);

// The same convolution with the channels and filters that matrix units would take; nothing if it
// has them, or none would be used.
std::optional<ConvolutionProblem> padded_for_matrix_units(const ConvolutionProblem& problem,
                                                          const DeviceDescription& device);

// The steps with so many sequences, or with more.
RecurrentPrediction planned_steps(const RecurrentProblem& problem, const DeviceDescription& device,
                                  const RecurrentRates& rates);

}  // namespace strata
