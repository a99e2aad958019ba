// SPDX-License-Identifier: MIT
#include "tests/backend/onednn/verified.h"

#include "backend/onednn/engine.h"
#include "backend/verify.h"
#include "graph/builder.h"
#include "op/problem.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

std::string describe(const Graph& graph, const Step& step) {
    return graph.layers[step.layer].name + " " + std::string(name_of(step.pass));
}

TensorId further_operand(GraphBuilder& builder, const Operand& operand, std::size_t number) {
    const std::string name = "x" + std::to_string(number);
    const Role role = operand.role == Role::activation ? Role::input : operand.role;
    return role == Role::input || role == Role::label
               ? builder.input(name, operand.tensor, role)
               : builder.constant(name, operand.tensor, role);
}

Convolution pointwise(std::int64_t channels) {
    return {.out_channels = channels, .kernel = {1, 1}};
}

}  // namespace

Execution kept_execution(Mode mode, DataType dtype) {
    return {.mode = mode,
            .dtype = dtype,
            .threads = 2,
            .pinned = false,
            .first_layer_gradient = FirstLayerGradient::computed,
            .memory = MemoryReuse::kept};
}

std::string verify_graph(const Graph& graph, const Execution& execution) {
    const auto executable = onednn::make_backend()->prepare(graph, execution);
    for (const StepCheck& check : verify(graph, execution, *executable)) {
        const Step& step = executable->steps()[check.step];
        EXPECT_EQ(check.reason, "") << describe(graph, step) << " by " << step.implementation;
    }
    std::string refusals;
    for (const Step& step : executable->steps()) {
        if (!step.refusal.empty()) {
            refusals += describe(graph, step) + ": " + step.refusal + "\n";
        }
    }
    return refusals;
}

Graph graph_of_problem(const std::string& text) {
    const Problem problem = parse_problem(text);
    GraphBuilder builder("problem");
    std::vector<TensorId> operands;
    for (const Operand& operand : problem.activations) {
        operands.push_back(further_operand(builder, operand, operands.size()));
    }
    builder.add("layer", problem.op, operands);
    return builder.finish();
}

Graph graph_between_convolutions(const std::string& text) {
    const Problem problem = parse_problem(text);
    GraphBuilder builder("problem");
    const TensorId x = builder.input("x", problem.activations[0].tensor);
    std::vector<TensorId> operands = {
        builder.add("before", pointwise(builder.tensor(x).dims[1]), {x})};
    for (std::size_t i = 1; i < problem.activations.size(); ++i) {
        operands.push_back(further_operand(builder, problem.activations[i], i));
    }
    const TensorId y = builder.add("layer", problem.op, operands);
    builder.add("after", pointwise(builder.tensor(y).dims[1]), {y});
    return builder.finish();
}

}  // namespace strata::testing
