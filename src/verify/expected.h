// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "graph/execution.h"
#include "op/operator.h"

#include <span>
#include <string_view>

namespace strata {

// How far a correct result may be from the reference, relative to the larger of the reference's
// largest value and the sums' typical size. (That size matters because the rounding error of a sum
// whose terms cancel, such as a bias's gradient before a batch normalisation, depends on its terms,
// not on its value.)
//
//   f32:  2^-24 (256 + 12 sqrt(length)), 4 times that for Winograd's transformed sums
//   bf16: 2^-7, two roundings of the operands or the result with a margin of two
//   f32 with TF32 products: sums 2^-8 more, two operands truncated to 11 bits, likewise
//
// A serial f32 sum of random terms errs by about 2^-24 * 0.4 sqrt(length), the largest of many
// elements by five times that, and sums of activations that a ReLU has made positive by up to twice
// that; 12 covers those. 256 units (1.5e-5) cover vectorised exp, pow and tanh. A wrong index or a
// lost term causes errors of 1e-2 and more.
double tolerance_of(const SumShape& sum, const Execution& execution, std::string_view algorithm);

// The smallest scale that errors are relative to. Below 2^-14, f16 has only multiples of 2^-24, and
// kernels that multiply in f16 round small terms to them (fused attention the gradients of its
// scores), so errors of up to 32 such steps are no fault. The other types keep their precision.
double smallest_scale(DataType dtype);

double largest_magnitude(std::span<const float> values);

// The error of values against the reference: the largest |ours - reference| over `scale`. Equal
// values, including infinities, differ by 0; a NaN, or an infinity where the reference is finite,
// differs infinitely. Two NaNs agree.
double largest_difference(std::span<const float> ours, std::span<const float> reference,
                          double scale);

// How one tensor compares with the reference's.
struct TensorError {
    double error = 0;
    double tolerance = 0;

    bool agrees() const { return error <= tolerance; }
};

// The reference's values of a tensor, and the tolerance for others.
struct Expected {
    HostValues values;
    double typical = 0;    // typical size of the sums behind the values, SumShape::typical
    double tolerance = 0;  // relative to the larger of that and the largest value

    TensorError compare(std::span<const float> ours) const;

    // Adds another layer's contribution; the errors add up too.
    void add(const Expected& contribution);
};

}  // namespace strata
