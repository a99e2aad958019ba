// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/method.h"

namespace strata::cpu {

// The convolution as a matrix product. The data's matrix is written to memory (im2col; col2im for
// the gradient of the data), for enough images at a time to make the library's product efficient:
// y[K, P Q] = weight[K, C R S] columns[C R S, P Q]. For 1 x 1 filters the images already are such a
// matrix. (Chellapilla, Puri, Simard: High performance convolutional neural networks for document
// processing, 2006.)
//
// Each thread processes its own images if there are enough, or all threads share one product;
// `implementation` says which. The sums of the weights' gradient then depend on the number of
// threads; runs with the same number give the same result.
std::unique_ptr<PreparedConvolution> prepare_gemm(const ConvolutionProblem& problem,
                                                  const OperandOrders& preferred);

}  // namespace strata::cpu
