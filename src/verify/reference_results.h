// SPDX-License-Identifier: MIT
#pragma once

#include "verify/expected.h"
#include "verify/layer_values.h"

#include <map>
#include <string_view>
#include <vector>

namespace strata {

// A layer as it is executed, and by which algorithm the executable does it.
struct ExecutedLayer {
    const Graph& graph;
    const Execution& execution;
    const Layer& layer;
    std::string_view algorithm;
};

// What the reference makes of a forward pass: the outputs, and the running statistics by operand.
struct ForwardResults {
    std::vector<Expected> outputs;
    std::map<std::size_t, Expected> statistics;
};

// Both compute into the values, from what was read.
ForwardResults reference_results(const ExecutedLayer& executed, LayerValues& values);

// By operand, where the values have room for a gradient.
std::map<std::size_t, Expected> reference_gradients(const ExecutedLayer& executed,
                                                    LayerValues& values);

}  // namespace strata
