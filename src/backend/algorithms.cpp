// SPDX-License-Identifier: MIT
#include "backend/algorithms.h"

#include "op/problem.h"

#include <algorithm>

namespace strata {

bool is_convolution(const Op& op) {
    return std::holds_alternative<Convolution>(op) ||
           std::holds_alternative<TransposedConvolution>(op);
}

std::string convolution_problem(const Graph& graph, const Layer& layer) {
    Signature signature = signature_of(graph, layer);
    signature.inputs.front().role = Role::activation;
    return to_text(problem_of(layer.op, signature));
}

const AlgorithmChoice* choice_for(const EngineOptions& engine, const Graph& graph,
                                  const Layer& layer, Pass pass) {
    const std::string problem = convolution_problem(graph, layer);
    const auto found = std::ranges::find_if(engine.choices, [&](const AlgorithmChoice& choice) {
        return choice.pass == pass &&
               (choice.problem == problem || is_called(layer, choice.problem));
    });
    return found == engine.choices.end() ? nullptr : &*found;
}

}  // namespace strata
