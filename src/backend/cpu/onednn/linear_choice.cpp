// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/linear_choice.h"

#include "backend/algorithms.h"

#include <fmt/format.h>

namespace strata::cpu {

AskedLinear asked_linear(const Lowering& lowering, const Layer& layer, Pass pass) {
    const AlgorithmChoice* choice =
        choice_for(lowering.execution().engine, lowering.graph(), layer, pass);
    return choice == nullptr ? AskedLinear{}
                             : AskedLinear{std::get<LinearAlgorithm>(choice->algorithm.kind),
                                           std::string(name_of(choice->source))};
}

StepText text_of(const AskedLinear& asked, const std::string& reason) {
    if (asked.source.empty()) {
        return {};
    }
    const LinearAlgorithm taken = reason.empty() ? asked.algorithm : LinearAlgorithm::usual;
    return {.algorithm = std::string(name_of(taken)),
            .choice = {std::string(name_of(asked.algorithm)), asked.source, reason}};
}

}  // namespace strata::cpu
