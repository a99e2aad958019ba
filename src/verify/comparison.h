// SPDX-License-Identifier: MIT
#pragma once

#include <span>

namespace strata {

double largest_magnitude(std::span<const float> values);

// How far values lie from the reference's: the largest |ours - reference| over `scale`. Equal
// values differ by nothing, infinities included; a value that is not a number, or is infinite where
// the reference is not, differs infinitely. Two that are both not a number agree.
double largest_difference(std::span<const float> ours, std::span<const float> reference,
                          double scale);

}  // namespace strata
