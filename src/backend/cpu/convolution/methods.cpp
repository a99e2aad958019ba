// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/fft.h"
#include "backend/cpu/convolution/gemm.h"
#include "backend/cpu/convolution/implicit_gemm.h"
#include "backend/cpu/convolution/method.h"

#include <array>

namespace strata::cpu {

std::span<const ConvolutionMethod> convolution_methods() {
    static constexpr std::array methods = {
        ConvolutionMethod{"gemm", prepare_gemm},
        ConvolutionMethod{"implicit-gemm", prepare_implicit_gemm},
        ConvolutionMethod{"fft", prepare_fft},
        ConvolutionMethod{"fft-tiled", prepare_fft_tiled},
    };
    return methods;
}

}  // namespace strata::cpu
