// SPDX-License-Identifier: MIT
#pragma once

#include "backend/reference/operands.h"
#include "op/work.h"

#include <string_view>

namespace strata {

// What one element of a result is made of, for judging its rounding: a sum of `length` terms, each
// of about `magnitude`. A magnitude of 0: no larger than the result itself.
struct SumShape {
    double length = 1;
    double magnitude = 0;

    // What such a sum has at least where its terms do not conspire to cancel.
    double typical() const;
};

// Of the first output (forward) or of an operand's gradient (backward passes).
SumShape forward_sum(const Op& op, const ReferenceOperands& operands);
// Of a running statistic that a training step renews, by operand. The mean of a layer whose input
// has mean zero (a convolution behind a batch normalisation without an activation) is nothing but
// rounding, so it is judged by the values that were averaged.
SumShape statistic_sum(const Op& op, const ReferenceOperands& operands, std::size_t operand);
SumShape gradient_sum(const Op& op, const ReferenceOperands& operands, std::size_t operand);

// How far a right result may lie from the reference, relative to the larger of the reference's
// largest value and the sums' typical size. (Relative to that size because a sum whose terms
// cancel, such as a bias's gradient behind a batch normalisation, is rounded by its terms, not by
// its value.)
//
//   f32:  2^-24 (256 + 12 sqrt(length)), 4 times that for Winograd's transformed sums
//   bf16: 2^-7, two roundings of the operands or the result with a factor of two to spare
//   f32 with TF32 products: of sums 2^-8 more, two operands cut off at 11 bits, likewise
//
// A serial f32 sum of random terms errs by about 2^-24 * 0.4 sqrt(length), the largest of many
// elements by five times that, and sums of activations that a ReLU has made positive by up to twice
// as much again; 12 leaves room for those. 256 units (1.5e-5) do for vectorised exp, pow and tanh.
// A wrong index or a lost term errs by 1e-2 and more.
double tolerance_of(const SumShape& sum, const Execution& execution, std::string_view algorithm);

}  // namespace strata
