// SPDX-License-Identifier: MIT
#include "backend/peer/libtorch/plan.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

namespace strata::libtorch {

namespace {

// One kernel, or one walk back through time, gives gradients of data and of weights.
bool gives_both_gradients(const ToldLayer& layer) {
    static constexpr std::array<std::string_view, 5> all = {"attention", "batch_normalization",
                                                            "group_normalization",
                                                            "layer_normalization", "recurrent"};
    return std::ranges::find(all, layer.type) != all.end();
}

void join_gradients(const Network& network, Plan& plan) {
    std::map<std::size_t, std::size_t> data;  // by layer, the task that gives its data's gradients
    for (std::size_t i = 0; i < network.tasks.size(); ++i) {
        plan.operands.push_back(network.tasks[i].gradients);
        if (network.tasks[i].pass == "backward_data") {
            data[network.tasks[i].layer] = i;
        }
    }
    for (std::size_t i = 0; i < network.tasks.size(); ++i) {
        const ToldTask& task = network.tasks[i];
        if (task.pass == "backward_weights" && data.contains(task.layer) &&
            gives_both_gradients(network.layers[task.layer])) {
            auto& joined = plan.operands[data[task.layer]];
            joined.insert(joined.end(), task.gradients.begin(), task.gradients.end());
            plan.included_in[i] = data[task.layer];
        }
    }
}

// The last task that reads each value, gradient, and what each layer saved.
struct LastReads {
    explicit LastReads(const Network& network) {
        for (std::size_t i = 0; i < network.tasks.size(); ++i) {
            const ToldTask& task = network.tasks[i];
            const ToldLayer& layer = network.layers[task.layer];
            if (task.pass == "update") {
                mark(gradients, task.parameters, i);
                continue;
            }
            saved[task.layer] = i;
            mark(task.pass == "forward" ? values : gradients, layer.outputs, i);
            if (task.pass == "forward") {
                mark(values, layer.inputs, i);
            }
        }
    }

    static void mark(std::map<std::size_t, std::size_t>& last,
                     const std::vector<std::size_t>& tensors, std::size_t task) {
        for (const std::size_t tensor : tensors) {
            last[tensor] = task;
        }
    }

    std::map<std::size_t, std::size_t> values, gradients, saved;
};

void plan_releases(const Network& network, Plan& plan) {
    const LastReads last(network);
    std::set<std::size_t> kept(network.outputs.begin(), network.outputs.end());
    kept.insert(network.gradient_given.begin(), network.gradient_given.end());
    for (const auto& [tensor, task] : last.values) {
        if (!kept.contains(tensor) && network.tensors[tensor].role == "activation") {
            plan.releases[task].values.push_back(tensor);
        }
    }
    for (const auto& [tensor, task] : last.gradients) {
        if (!kept.contains(tensor)) {
            plan.releases[task].gradients.push_back(tensor);
        }
    }
    for (const auto& [layer, task] : last.saved) {
        plan.releases[task].saved.push_back(layer);
    }
}

}  // namespace

Plan plan_of(const Network& network) {
    Plan plan;
    plan.included_in.resize(network.tasks.size());
    plan.releases.resize(network.tasks.size());
    join_gradients(network, plan);
    if (!network.kept) {
        plan_releases(network, plan);
    }
    return plan;
}

}  // namespace strata::libtorch
