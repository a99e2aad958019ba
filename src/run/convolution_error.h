// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "op/convolution.h"
#include "op/window.h"
#include "record/algorithm.h"

#include <cstddef>
#include <span>
#include <vector>

namespace strata {

// A convolution with the values of all that its passes read: x[N, C, spatial], weight[K, C /
// groups, kernel], the bias[K] or nothing, and the gradient of y[N, K, spatial].
struct ConvolutionValues {
    Window window;
    std::int64_t groups = 1;
    Dims x_dims;
    Dims weight_dims;
    Dims y_dims;
    HostValues x = {};
    HostValues weight = {};
    HostValues bias = {};
    HostValues y_gradient = {};
};

// Some elements of a pass's result, each summed term by term in double precision.
struct ExpectedElements {
    std::vector<std::size_t> places = {};  // in the dense result, ascending
    std::vector<double> values = {};
};

// As many elements as cost at most `max_terms` multiply-adds, but 512 at least (or all), drawn from
// the whole result with a fixed seed, one from each of as many equal stretches. Requires: one to
// three spatial axes; a pass other than update.
ExpectedElements expected_elements(const ConvolutionValues& values, Pass pass,
                                   double max_terms = 1e8);

// How far a dense result of that pass lies from them. Requires: as many elements as it was drawn
// from.
AlgorithmError error_of(const ExpectedElements& expected, std::span<const float> result);

}  // namespace strata
