// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/batch_last.h"
#include "backend/cpu/convolution/depthwise.h"
#include "backend/cpu/convolution/fft.h"
#include "backend/cpu/convolution/gemm.h"
#include "backend/cpu/convolution/implicit_gemm.h"
#include "backend/cpu/convolution/method.h"
#include "backend/cpu/convolution/winograd.h"

#include <array>

namespace strata::cpu {

namespace {

bool is_depthwise(const ConvolutionProblem& problem) {
    return problem.groups > 1 && problem.weight[0] == problem.groups && problem.weight[1] == 1;
}

std::unique_ptr<PreparedConvolution> prepare_direct(const ConvolutionProblem& problem,
                                                    const OperandOrders& preferred) {
    return preferred.x != ImageOrder::chwn && problem.pass == Pass::backward_weights &&
                   is_depthwise(problem)
               ? prepare_depthwise_weights(problem, preferred)
               : prepare_batch_last(problem, preferred);
}

}  // namespace

std::span<const ConvolutionMethod> convolution_methods() {
    using winograd::prepare_winograd, winograd::WinogradTile;
    static constexpr std::array methods = {
        ConvolutionMethod{"direct", prepare_direct},
        ConvolutionMethod{"gemm", prepare_gemm},
        ConvolutionMethod{"implicit-gemm", prepare_implicit_gemm},
        ConvolutionMethod{"winograd-2x2-3x3", prepare_winograd<WinogradTile::f2x2_3x3>},
        ConvolutionMethod{"winograd-4x4-3x3", prepare_winograd<WinogradTile::f4x4_3x3>},
        ConvolutionMethod{"winograd-6x6-3x3", prepare_winograd<WinogradTile::f6x6_3x3>},
        ConvolutionMethod{"winograd-2x2-5x5", prepare_winograd<WinogradTile::f2x2_5x5>},
        ConvolutionMethod{"winograd-4x4-5x5", prepare_winograd<WinogradTile::f4x4_5x5>},
        ConvolutionMethod{"fft", prepare_fft},
        ConvolutionMethod{"fft-tiled", prepare_fft_tiled},
    };
    return methods;
}

}  // namespace strata::cpu
