// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/method.h"

namespace strata::cpu {

// The convolution as a product of matrices, of which that of the data is written out in memory
// (im2col; col2im for the gradient of the data) for as many images at a time as make the library's
// product efficient: y[K, P Q] = weight[K, C R S] columns[C R S, P Q]. Images of 1 x 1 filters are
// such a matrix as they are. (Chellapilla, Puri, Simard: High performance convolutional neural
// networks for document processing, 2006.)
//
// Each thread takes images of its own where there are enough, or all of them share one product;
// `implementation` says which. Sums of the gradient of the weights then depend on the number of
// threads; a run with as many gives the same result.
std::unique_ptr<PreparedConvolution> prepare_gemm(const ConvolutionProblem& problem,
                                                  const OperandOrders& preferred);

}  // namespace strata::cpu
