// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/method.h"

namespace strata::cpu {

// The gradient of a depthwise convolution's weights, by vectors of channels: images are in blocks
// of channels or channels last. The library has such a kernel only for windows of 3x3, and uses its
// reference loops for others. Throws Refusal for another pass, and if a group has several channels.
std::unique_ptr<PreparedConvolution> prepare_depthwise_weights(const ConvolutionProblem& problem,
                                                               const OperandOrders& preferred);

}  // namespace strata::cpu
