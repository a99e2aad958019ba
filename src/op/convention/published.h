// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"
#include "op/window.h"

#include <optional>

namespace strata {

// A convolution's extents by their names in counting formulas.
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

    // Multiply-adds of the direct algorithm, including taps in the padding.
    double multiply_adds() const { return images * groups * filters * positions * channels * taps; }
    double outputs() const { return images * groups * filters * positions; }
};

// Nothing if the operator is not a convolution.
std::optional<ConvolutionExtents> convolution_extents(const Op& op, const Signature& signature);

// Whether it has two axes, a square kernel, and neither stride nor dilation: what the fast
// algorithms need.
bool is_unit_square(const ConvolutionExtents& convolution);

// The multiply-adds of convolutions and matrix products, including those inside recurrent cells and
// attention, as two operations each; nothing else. For Convention::special; it always
// overrides.
bool products_only(const Op& op, const Signature& signature, Pass pass, Flops& flops);

// Levinthal's analytic table, forward: a convolution is (2 K^2 + 1) Cin Ho Wo Cout + Cin Ho Wo, one
// addition more per input channel of an output than the products need; a pooling is its window for
// each output, maximum or mean. For Convention::special.
bool levinthal_table(const Op& op, const Signature& signature, Pass pass, Flops& flops);

// His table of ResNets: the same without the last term, (2 K^2 + 1) Cin Ho Wo Cout.
bool levinthal_resnet(const Op& op, const Signature& signature, Pass pass, Flops& flops);

// The operations that the algorithms of Kim et al. 2017, Fig. 9c, execute for a convolution, by the
// formulas that give their bars. Transforms are left out; nothing is overridden if an algorithm
// cannot compute a convolution, nor for other operators. For Convention::special.

// Direct: the multiply-adds whose tap lies inside the input, per axis; those in the padding are
// left out. The same forward and for each gradient.
bool taps_without_padding(const Op& op, const Signature& signature, Pass pass, Flops& flops);

// Winograd's minimal filtering F(4x4, RxR), R 3 or 5, stride 1: 2 (R + 3)^2 multiply-adds for each
// tile of 4x4 outputs, channel, filter and image. Forward.
bool winograd_domain(const Op& op, const Signature& signature, Pass pass, Flops& flops);

// FFT over planes of T x T, stride 1, where T is the next power of two that holds input and kernel:
// complex multiply-adds of 8 operations at the T (T/2 + 1) points of a real plane, for each
// channel, filter and image. Forward.
bool fft_domain(const Op& op, const Signature& signature, Pass pass, Flops& flops);

// Equation 6 of Dong et al. 2018 taken literally: every output sums all exponentials again, which
// is N^2 operations for a row of N. For Convention::special.
bool naive_softmax(const Op& op, const Signature& signature, Pass pass, Flops& flops);

}  // namespace strata
