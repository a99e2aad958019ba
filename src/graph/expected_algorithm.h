// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "op/convolution.h"
#include "op/tensor.h"
#include "op/work.h"

#include <optional>

namespace strata {

// A pass of a convolution of f32 images on a processor.
struct ConvolutionTask {
    const Convolution& op;
    const Tensor& x;
    const Tensor& y;
    Pass pass = Pass::forward;
    bool keeps_filters = false;  // weights never change, so that they are transformed only once
};

// An algorithm of strata's own, and the share of the time of the library's direct convolution that
// it is expected to take.
struct ExpectedAlgorithm {
    ConvolutionAlgorithm algorithm = ConvolutionAlgorithm::direct;
    double time_share = 1;
};

// What `--algorithm auto` runs instead of direct convolution: the algorithm that is surely expected
// to be faster. Only those whose rounding errors are near direct convolution's are considered:
// F(4x4,3x3) and F(4x4,5x5) of Winograd. Nothing if none is, or without rates for vectors of this
// many bits (256: AVX2, 512: AVX-512).
std::optional<ExpectedAlgorithm> faster_than_direct(const ConvolutionTask& convolution,
                                                    int vector_bits);

// The same without the demand that it be faster: nothing if the algorithm cannot do the pass.
std::optional<ExpectedAlgorithm> expected_of(ConvolutionAlgorithm algorithm,
                                             const ConvolutionTask& convolution, int vector_bits);

// The multiply-adds that the products of one of Winograd's algorithms execute, over those of the
// definition; nothing for other algorithms, or if it cannot do the pass.
std::optional<double> product_share(ConvolutionAlgorithm algorithm,
                                    const ConvolutionTask& convolution);

}  // namespace strata
