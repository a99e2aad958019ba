// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/method.h"

namespace strata::cpu {

// Convolutions by fast Fourier transforms (Mathieu, Henaff, LeCun: Fast training of convolutional
// networks through FFTs, 2014), for strides and dilations of 1. Sums over channels, or over images
// for the gradient of the weights, are products of complex matrices, one for each frequency.
//
// Results do not depend on the number of threads.

// One transform for a whole plane, of a fast size that holds it and its padding.
std::unique_ptr<PreparedConvolution> prepare_fft(const ConvolutionProblem& problem,
                                                 const OperandOrders& preferred);

// Overlapping tiles of 16 x 16 or 32 x 32 elements (overlap-save), whichever takes less arithmetic.
std::unique_ptr<PreparedConvolution> prepare_fft_tiled(const ConvolutionProblem& problem,
                                                       const OperandOrders& preferred);

}  // namespace strata::cpu
