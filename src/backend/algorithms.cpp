// SPDX-License-Identifier: MIT
#include "backend/algorithms.h"

#include "op/problem.h"

#include <algorithm>

namespace strata {

bool is_convolution(const Op& op) {
    return std::holds_alternative<Convolution>(op) ||
           std::holds_alternative<TransposedConvolution>(op);
}

bool is_linear(const Op& op) {
    return std::holds_alternative<FullyConnected>(op) || std::holds_alternative<Recurrent>(op);
}

std::string problem_text(const Graph& graph, const Layer& layer) {
    Signature signature = signature_of(graph, layer);
    signature.inputs.front().role = Role::activation;
    return to_text(problem_of(layer.op, signature));
}

bool is_for(const AlgorithmChoice& choice, const Graph& graph, const Layer& layer) {
    return has_algorithms(layer.op) && choice.algorithm.is_linear() == is_linear(layer.op) &&
           (is_called(layer, choice.problem) || choice.problem == problem_text(graph, layer));
}

const AlgorithmChoice* choice_for(const EngineOptions& engine, const Graph& graph,
                                  const Layer& layer, Pass pass) {
    if (engine.choices.empty()) {
        return nullptr;
    }
    const std::string problem = problem_text(graph, layer);
    const auto found = std::ranges::find_if(engine.choices, [&](const AlgorithmChoice& choice) {
        return choice.pass == pass && choice.algorithm.is_linear() == is_linear(layer.op) &&
               (choice.problem == problem || is_called(layer, choice.problem));
    });
    return found == engine.choices.end() ? nullptr : &*found;
}

}  // namespace strata
