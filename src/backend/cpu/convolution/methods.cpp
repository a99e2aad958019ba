// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/method.h"

namespace strata::cpu {

std::span<const ConvolutionMethod> convolution_methods() {
    return {};
}

}  // namespace strata::cpu
