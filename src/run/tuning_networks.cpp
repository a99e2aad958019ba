// SPDX-License-Identifier: MIT
#include "run/tuning_networks.h"

#include "backend/algorithms.h"
#include "graph/fuse.h"
#include "run/algorithm_candidates.h"

#include <algorithm>
#include <utility>

namespace strata {

TuningNetwork::TuningNetwork(const Graph& graph, const Execution& execution, Backend& backend)
    : executable_(backend.prepare(graph, execution)) {
    for (LayerId id = 0; id < graph.layers.size(); ++id) {
        if (has_algorithms(graph.layers[id].op)) {
            problems_.emplace(id, problem_text(graph, graph.layers[id]));
        }
    }
    if (execution.engine.fusion != Fusion::none) {
        for (const FusedChain& chain : fused_chains(graph, execution.numerics.mode)) {
            const auto first = problems_.find(chain.first);
            for (const LayerId follower : chain.followers) {
                if (first != problems_.end()) {
                    followed_.emplace(follower, first->second);
                }
            }
        }
    }
    for (const Step& step : executable_->steps()) {
        if (!is_tunable_pass(graph, step) || !step.runs()) {
            continue;
        }
        const ProblemPass key = {problems_.at(step.layer), step.pass};
        const auto found = std::ranges::find(passes_, key, &TunablePass::key);
        if (found == passes_.end()) {
            passes_.push_back({key, step.layer, 1, graph.layers[step.layer].name});
        } else {
            ++found->layers;
        }
    }
}

const Step* TuningNetwork::step_of(const ProblemPass& key) const {
    const auto tunable = std::ranges::find(passes_, key, &TunablePass::key);
    if (tunable == passes_.end()) {
        return nullptr;
    }
    const auto steps = std::as_const(*executable_).steps();
    const auto found = std::ranges::find_if(steps, [&](const Step& step) {
        return step.layer == tunable->layer && step.pass == key.pass &&
               step.kind == StepKind::compute && step.runs();
    });
    return &*found;
}

// (Only forward passes are fused. An update reorders a gradient whose layout differs from its
// weight's.)
bool TuningNetwork::is_part_of(const ProblemPass& key, const Step& step) const {
    const auto is_of = [&](const std::map<LayerId, std::string>& problems) {
        const auto found = problems.find(step.layer);
        return found != problems.end() && found->second == key.problem;
    };
    if (step.pass == Pass::update && key.pass == Pass::backward_weights) {
        return step.kind != StepKind::compute && is_of(problems_);
    }
    return step.pass == key.pass &&
           (is_of(problems_) || (key.pass == Pass::forward && is_of(followed_)));
}

std::vector<Seconds> TuningNetwork::cost_of(const ProblemPass& key,
                                            const std::vector<Samples>& steps) const {
    const auto all = std::as_const(*executable_).steps();
    std::vector<Seconds> costs;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!is_part_of(key, all[i])) {
            continue;
        }
        costs.resize(steps[i].values.size());
        for (std::size_t round = 0; round < costs.size(); ++round) {
            costs[round] += steps[i].values[round];
        }
    }
    const auto tunable = std::ranges::find(passes_, key, &TunablePass::key);
    const double layers = tunable == passes_.end() ? 1 : tunable->layers;
    std::ranges::transform(costs, costs.begin(), [&](Seconds cost) { return cost / layers; });
    return costs;
}

}  // namespace strata
