// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "backend/reference/operators.h"
#include "verify/expected.h"

#include <map>
#include <string_view>
#include <vector>

namespace strata {

// Host copies of the operands of one pass of one layer, in the operator's order: the inputs and
// outputs of the reference.
struct LayerValues {
    std::vector<HostValues> inputs;
    std::vector<HostValues> outputs;
    std::vector<HostValues> output_gradients;
    std::vector<HostValues> input_gradients;  // empty if none is needed
    std::vector<HostValues> statistics;       // empty if there is no running statistic

    ReferenceOperands view(const Signature& signature, const Execution& execution);
};

// The inputs of the forward pass that runs next, with room for its outputs.
LayerValues read_for_forward(const Graph& graph, const Execution& execution, const Layer& layer,
                             const Executable& executable);

// The inputs of the backward pass that runs next, with room for the needed
// gradients.
LayerValues read_for_backward(const Schedule& schedule, const Layer& layer,
                              const std::vector<bool>& wanted, const Executable& executable);

// A layer as it is executed, and the executable's algorithm for it.
struct ExecutedLayer {
    const Graph& graph;
    const Execution& execution;
    const Layer& layer;
    std::string_view algorithm;
};

// The reference's results of a forward pass: the outputs, and the running statistics by operand.
struct ForwardResults {
    std::vector<Expected> outputs;
    std::map<std::size_t, Expected> statistics;
};

// Both compute from the values read and store into the rest.
ForwardResults reference_results(const ExecutedLayer& executed, LayerValues& values);

// By operand, for those with room for a gradient.
std::map<std::size_t, Expected> reference_gradients(const ExecutedLayer& executed,
                                                    LayerValues& values);

}  // namespace strata
