// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace strata {

// A positive number that a fit may move.
struct FitParameter {
    double* value = nullptr;  // where it begins, and where the fit leaves it
    double pull = 0;          // of the squared logarithm of what it moves by, in units of a row
};

// How a fit moves them. Where the model chooses among kernels, its errors have kinks, before which
// steps along slopes end; there it also tries to move one parameter at a time.
enum class FitSearch { slopes, slopes_and_single_moves };

// Moves the parameters so that predictions come close to measured times: the sum over rows of
// |ln(predicted / measured)|, with what pulls each parameter back to where it began. Levenberg and
// Marquardt's method on logarithms, with weights that make it a sum of absolute values, so that a
// few rows that the model cannot explain do not bend it. Deterministic; takes some seconds for
// thousands of rows.
//
// `predict` writes a positive time for each row, in the parameters' present state. Requires: as
// many measured times, all positive.
void fit(std::span<const FitParameter> parameters, std::span<const double> measured,
         const std::function<void(std::span<double> predicted)>& predict,
         FitSearch search = FitSearch::slopes);

}  // namespace strata
