// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"

namespace strata {

// What the algorithms of Kim et al. 2017, Fig. 9c, execute for a convolution, by the formulas that
// give their bars. Transforms are left out; where an algorithm cannot do a convolution, and for all
// other operators, nothing is overridden. For Convention::special.

// Direct: the multiply-adds whose tap lies inside the input, per axis; those in the padding
// multiply by nothing and are left out. Forward, and alike each gradient.
bool taps_without_padding(const Op& op, const Signature& signature, Pass pass, Flops& flops);

// Winograd's minimal filtering F(4x4, RxR), R 3 or 5, stride 1: 2 (R + 3)^2 multiply-adds for each
// tile of 4x4 outputs, channel, filter and image. Forward.
bool winograd_domain(const Op& op, const Signature& signature, Pass pass, Flops& flops);

// FFT over planes of T x T, T the next power of two that holds input and kernel, stride 1: complex
// multiply-adds of 8 operations at the T (T/2 + 1) points that a real plane has, for each channel,
// filter and image. Forward.
bool fft_domain(const Op& op, const Signature& signature, Pass pass, Flops& flops);

}  // namespace strata
