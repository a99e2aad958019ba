// SPDX-License-Identifier: MIT
#include "verify/reference_results.h"

#include "backend/reference/operators.h"

#include <algorithm>

namespace strata {

namespace {

template <class View>
std::vector<View> views_of(std::vector<HostValues>& values) {
    return {values.begin(), values.end()};
}

std::size_t element_count(const Graph& graph, TensorId tensor) {
    return static_cast<std::size_t>(graph.tensors[tensor].tensor.elements());
}

LayerValues read_inputs(const Layer& layer, const Executable& executable) {
    LayerValues values;
    for (const TensorId tensor : layer.inputs) {
        values.inputs.push_back(executable.read(tensor, Content::value));
    }
    return values;
}

}  // namespace

ReferenceOperands LayerValues::view(const Signature& signature, const Execution& execution) {
    return {signature,
            execution,
            views_of<std::span<const float>>(inputs),
            views_of<std::span<float>>(outputs),
            views_of<std::span<const float>>(output_gradients),
            views_of<std::span<float>>(input_gradients),
            views_of<std::span<float>>(statistics)};
}

LayerValues read_for_forward(const Graph& graph, const Execution& execution, const Layer& layer,
                             const Executable& executable) {
    LayerValues values = read_inputs(layer, executable);
    for (const TensorId tensor : layer.inputs) {
        const bool changes = execution.numerics.mode == Mode::training &&
                             graph.tensors[tensor].role == Role::statistic;
        values.statistics.emplace_back(changes ? element_count(graph, tensor) : 0);
    }
    for (const TensorId tensor : layer.outputs) {
        values.outputs.emplace_back(element_count(graph, tensor));
    }
    return values;
}

LayerValues read_for_backward(const Schedule& schedule, const Layer& layer,
                              const std::vector<bool>& wanted, const Executable& executable) {
    LayerValues values = read_inputs(layer, executable);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        values.input_gradients.emplace_back(wanted[i] ? values.inputs[i].size() : 0);
    }
    for (const TensorId tensor : layer.outputs) {
        values.output_gradients.push_back(schedule.needs_gradient[tensor]
                                              ? executable.read(tensor, Content::gradient)
                                              : HostValues());
    }
    return values;
}

namespace {

OperandValues values_in(const ReferenceOperands& operands) {
    const bool backward = !operands.output_gradients.empty();
    return {operands.signature, operands.inputs,
            backward ? operands.output_gradients[0] : std::span<const float>(),
            operands.execution.numerics.mode == Mode::training};
}

Expected expected(const ExecutedLayer& executed, const SumShape& sum, const HostValues& values) {
    const double typical =
        std::max(sum.typical(), smallest_scale(executed.execution.numerics.dtype));
    return {values, typical, tolerance_of(sum, executed.execution, executed.algorithm)};
}

}  // namespace

ForwardResults reference_results(const ExecutedLayer& executed, LayerValues& values) {
    const Signature signature = signature_of(executed.graph, executed.layer);
    const ReferenceOperands operands = values.view(signature, executed.execution);
    compute_forward(executed.layer.op, operands);
    const SumShape sum = forward_sum(executed.layer.op, values_in(operands));
    ForwardResults results;
    for (std::size_t i = 0; i < values.outputs.size(); ++i) {
        // Integers and booleans must match exactly.
        const bool exact = !is_floating(signature.outputs[i].dtype);
        results.outputs.push_back(exact ? Expected{values.outputs[i], 0, 0}
                                        : expected(executed, sum, values.outputs[i]));
    }
    for (std::size_t i = 0; i < values.statistics.size(); ++i) {
        if (!values.statistics[i].empty()) {
            const SumShape statistic = statistic_sum(executed.layer.op, values_in(operands), i);
            results.statistics[i] = expected(executed, statistic, values.statistics[i]);
        }
    }
    return results;
}

std::map<std::size_t, Expected> reference_gradients(const ExecutedLayer& executed,
                                                    LayerValues& values) {
    const Signature signature = signature_of(executed.graph, executed.layer);
    const ReferenceOperands operands = values.view(signature, executed.execution);
    compute_backward(executed.layer.op, operands);
    std::map<std::size_t, Expected> gradients;
    for (std::size_t i = 0; i < operands.inputs.size(); ++i) {
        if (operands.wants_gradient(i)) {
            const SumShape sum = gradient_sum(executed.layer.op, values_in(operands), i);
            gradients[i] = expected(executed, sum, values.input_gradients[i]);
        }
    }
    return gradients;
}

}  // namespace strata
