// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/method.h"

namespace strata::cpu {

// The convolution as a matrix product. The data's matrix (im2col) exists only in tiles that fit the
// caches: each is gathered, multiplied and discarded. (Chetlur et al.: cuDNN: efficient primitives
// for deep learning, 2014, section 3.) The gradient of the data is also gathered: with a stride, by
// the points whose taps coincide.
//
// Results do not depend on the number of threads.
std::unique_ptr<PreparedConvolution> prepare_implicit_gemm(const ConvolutionProblem& problem,
                                                           const OperandOrders& preferred);

// Each for one pass.
std::unique_ptr<PreparedConvolution> prepare_gathered_product(const ConvolutionProblem& problem,
                                                              const OperandOrders& preferred);
std::unique_ptr<PreparedConvolution> prepare_weight_gradient(const ConvolutionProblem& problem,
                                                             const OperandOrders& preferred);

}  // namespace strata::cpu
