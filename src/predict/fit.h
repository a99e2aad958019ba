// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace strata {

// A positive number that a fit may move.
struct FitParameter {
    double* value = nullptr;  // its start before the fit, its result after
    double pull = 0;          // weight of the squared logarithm of its move, in units of a row
};

// How a fit moves parameters. If a model chooses among kernels, its errors have kinks that end
// steps along slopes; the fit then also tries to move one parameter at a time.
enum class FitSearch { slopes, slopes_and_single_moves };

// Moves the parameters so that predictions come close to measured times. It minimises the sum over
// rows of |ln(predicted / measured)|, with a pull of each parameter towards its start. The method
// is Levenberg and Marquardt's on logarithms. Weights make it a sum of absolute values, so a few
// rows that the model cannot explain do not bend it. Deterministic; takes some seconds for
// thousands of rows.
//
// `predict` writes a positive time for each row with the parameters' present values. Requires:
// equally many measured times, all positive.
void fit(std::span<const FitParameter> parameters, std::span<const double> measured,
         const std::function<void(std::span<double> predicted)>& predict,
         FitSearch search = FitSearch::slopes);

}  // namespace strata
