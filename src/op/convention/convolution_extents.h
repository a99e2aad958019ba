// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"
#include "op/window.h"

#include <optional>

namespace strata {

// A convolution's extents as formulas of counting name them.
struct ConvolutionExtents {
    double images = 0;     // N
    double groups = 0;     //
    double channels = 0;   // C, of one group
    double filters = 0;    // K, of one group
    double taps = 0;       // of the kernel: R S
    double positions = 0;  // of the output plane: Ho Wo
    Window window = {};
    Dims input = {};   // the spatial axes
    Dims output = {};  // the spatial axes

    // Multiply-adds of the direct algorithm, taps in the padding included.
    double multiply_adds() const { return images * groups * filters * positions * channels * taps; }
    double outputs() const { return images * groups * filters * positions; }
};

// Nothing where the operator is no convolution.
std::optional<ConvolutionExtents> convolution_extents(const Op& op, const Signature& signature);

// Whether it has two axes, a square kernel, and neither stride nor dilation: what the fast
// algorithms need.
bool is_unit_square(const ConvolutionExtents& convolution);

}  // namespace strata
