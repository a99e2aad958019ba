// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "backend/reference/operators.h"
#include "verify/expected.h"

#include <map>
#include <string_view>
#include <vector>

namespace strata {

// Host copies of what one pass of one layer touches, in the operator's order of operands: what the
// reference computes from and into.
struct LayerValues {
    std::vector<HostValues> inputs;
    std::vector<HostValues> outputs;
    std::vector<HostValues> output_gradients;
    std::vector<HostValues> input_gradients;  // empty where none is wanted
    std::vector<HostValues> statistics;       // empty where there is no running statistic

    ReferenceOperands view(const Signature& signature, const Execution& execution);
};

// What a forward pass is about to read, with room for what it writes.
LayerValues read_for_forward(const Graph& graph, const Execution& execution, const Layer& layer,
                             const Executable& executable);

// What a backward pass is about to read, with room for the gradients of the operands that are
// wanted.
LayerValues read_for_backward(const Schedule& schedule, const Layer& layer,
                              const std::vector<bool>& wanted, const Executable& executable);

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
