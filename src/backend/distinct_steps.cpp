// SPDX-License-Identifier: MIT
#include "backend/distinct_steps.h"

#include "base/enumeration.h"
#include "op/problem.h"

#include <fmt/format.h>

#include <map>

namespace strata {

namespace {

// A reorder moves bytes between two layouts, so both are part of its signature.
std::string signature_of_step(const Graph& graph, const Step& step) {
    const Layer& layer = graph.layers.at(step.layer);
    return fmt::format("{} | {} {} | {} {} | {} | {} B",
                       to_text(problem_of(layer.op, signature_of(graph, layer))),
                       name_of(step.pass), name_of(step.kind), step.implementation, step.algorithm,
                       step.layout, step.moved.value);
}

}  // namespace

std::vector<DistinctStep> distinct_steps(const Graph& graph, std::span<const Step> steps) {
    std::vector<DistinctStep> distinct;
    std::map<std::string, std::size_t> index_of;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!steps[i].runs()) {
            continue;
        }
        const std::string signature = signature_of_step(graph, steps[i]);
        const auto [place, is_new] = index_of.try_emplace(signature, distinct.size());
        if (is_new) {
            distinct.push_back({.signature = signature});
        }
        distinct[place->second].steps.push_back(i);
    }
    return distinct;
}

}  // namespace strata
