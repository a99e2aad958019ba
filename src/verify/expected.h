// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "graph/execution.h"
#include "op/operator.h"

#include <span>
#include <string_view>

namespace strata {

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

double largest_magnitude(std::span<const float> values);

// How far values lie from the reference's: the largest |ours - reference| over `scale`. Equal
// values differ by nothing, infinities included; a value that is not a number, or is infinite where
// the reference is not, differs infinitely. Two that are both not a number agree.
double largest_difference(std::span<const float> ours, std::span<const float> reference,
                          double scale);

// How one tensor compares with the reference's.
struct TensorError {
    double error = 0;
    double tolerance = 0;

    bool agrees() const { return error <= tolerance; }
};

// What the reference says of a tensor, and how precisely others must say the same.
struct Expected {
    HostValues values;
    double typical = 0;    // size of the sums that the values are, SumShape::typical
    double tolerance = 0;  // relative to the larger of that and the largest value

    TensorError compare(std::span<const float> ours) const;

    // Adds what another layer contributes; the errors add up, too.
    void add(const Expected& contribution);
};

}  // namespace strata
