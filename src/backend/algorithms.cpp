// SPDX-License-Identifier: MIT
#include "backend/algorithms.h"

#include "op/problem.h"

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

}  // namespace strata
