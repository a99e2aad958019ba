// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/method.h"

namespace strata::cpu {

// The convolution as a product of matrices, of which the data's (im2col) exists only in tiles that
// fit the caches: each is gathered, multiplied and forgotten. (Chetlur et al.: cuDNN: efficient
// primitives for deep learning, 2014, section 3.) The gradient of the data is gathered, too: with a
// stride, by the points whose taps coincide.
//
// Results do not depend on the number of threads.
std::unique_ptr<PreparedConvolution> prepare_implicit_gemm(const ConvolutionProblem& problem,
                                                           const OperandOrders& preferred);

// For one pass each.
std::unique_ptr<PreparedConvolution> prepare_gathered_product(const ConvolutionProblem& problem,
                                                              const OperandOrders& preferred);
std::unique_ptr<PreparedConvolution> prepare_weight_gradient(const ConvolutionProblem& problem,
                                                             const OperandOrders& preferred);

}  // namespace strata::cpu
