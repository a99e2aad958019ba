// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "op/convolution.h"
#include "op/tensor.h"
#include "op/work.h"

#include <optional>

namespace strata {

// The vector registers of a processor, which decide the rates of convolutions.
enum class VectorRegisters { narrower, avx2, avx512 };

// A pass of a convolution of f32 images on a processor.
struct ConvolutionTask {
    const Convolution& op;
    const Tensor& x;
    const Tensor& y;
    Pass pass = Pass::forward;
    bool keeps_filters = false;  // weights never change, so that they are transformed only once
};

// An algorithm of strata's own, the share of the library's direct convolution's time that it is
// expected to take, and the share of its multiply-adds that its products execute.
struct ExpectedAlgorithm {
    ConvolutionAlgorithm algorithm = ConvolutionAlgorithm::direct;
    double time_share = 1;
    double product_share = 1;
};

// What `--algorithm auto` runs instead of direct convolution: the algorithm that is surely expected
// to be faster. Only those whose rounding errors are near direct convolution's are considered:
// F(4x4,3x3) and F(4x4,5x5) of Winograd. Nothing if none is, or without rates for these registers.
std::optional<ExpectedAlgorithm> faster_than_direct(const ConvolutionTask& convolution,
                                                    VectorRegisters registers);

// The same without the demand that it be faster: nothing if the algorithm cannot do the pass.
std::optional<ExpectedAlgorithm> expected_of(ConvolutionAlgorithm algorithm,
                                             const ConvolutionTask& convolution,
                                             VectorRegisters registers);

}  // namespace strata
