// SPDX-License-Identifier: MIT
#include "verify/reference_results.h"

#include "backend/reference/step.h"

namespace strata {

namespace {

OperandValues values_in(const ReferenceOperands& operands) {
    const bool backward = !operands.output_gradients.empty();
    return {operands.signature, operands.inputs,
            backward ? operands.output_gradients[0] : std::span<const float>(),
            operands.execution.numerics.mode == Mode::training};
}

Expected expected(const ExecutedLayer& executed, const SumShape& sum, const HostValues& values) {
    return {values, sum.typical(), tolerance_of(sum, executed.execution, executed.algorithm)};
}

}  // namespace

ForwardResults reference_results(const ExecutedLayer& executed, LayerValues& values) {
    const Signature signature = signature_of(executed.graph, executed.layer);
    const ReferenceOperands operands = values.view(signature, executed.execution);
    compute_forward(executed.layer.op, operands);
    const SumShape sum = forward_sum(executed.layer.op, values_in(operands));
    ForwardResults results;
    for (std::size_t i = 0; i < values.outputs.size(); ++i) {
        // Integers and booleans are right or wrong.
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
