// SPDX-License-Identifier: MIT
#pragma once

#include "backend/lower/lowering.h"

#include <algorithm>

// From tasks to steps: the functions of GraphLowering that walk the schedule, refuse what is not
// supported, and add to the program.
namespace strata {

template <class Engine, ViewRules Rules>
GraphLowering<Engine, Rules>::GraphLowering(const Graph& graph, const Execution& execution)
    : graph_(graph),
      execution_(execution),
      schedule_(schedule_of(graph, execution)),
      states_(graph.tensors.size()),
      refusals_(graph.layers.size()) {
    if (execution.engine.fusion == Fusion::convolution) {
        chains_ = fused_chains(graph, execution.numerics.mode);
    }
}

template <class Engine, ViewRules Rules>
auto GraphLowering<Engine, Rules>::run() -> Program {
    std::vector<std::unique_ptr<LoweringOfLayer<Engine>>> layers;
    for (const Layer& layer : graph_.layers) {
        layers.push_back(engine().make_layer(layer));
    }
    for (const Task& task : schedule_.tasks) {
        task_ = task;
        lower(*layers[task.layer]);
    }
    bind_tensors();
    return std::move(program_);
}

template <class Engine, ViewRules Rules>
void GraphLowering<Engine, Rules>::lower(LoweringOfLayer<Engine>& layer) {
    if (const auto included = included_.find(task_); included != included_.end()) {
        return add_included(included->second);
    }
    const std::string& refusal = refusals_[task_.layer];
    if (refusal.empty() || task_.pass == Pass::update) {
        lower_guarded(layer);
    } else {
        refuse(refusal);
    }
}

// An unsupported pass ends that pass, not the network.
template <class Engine, ViewRules Rules>
void GraphLowering<Engine, Rules>::lower_guarded(LoweringOfLayer<Engine>& layer) {
    try {
        refuse_omitted(execution_, graph_.layers[task_.layer], task_.pass);
        Engine::refusing([&] { lower_pass(layer); });
        include_in_data_pass();
    } catch (const Refusal& refusal) {
        give_up(refusal.reason);
    }
}

template <class Engine, ViewRules Rules>
void GraphLowering<Engine, Rules>::lower_pass(LoweringOfLayer<Engine>& layer) {
    switch (task_.pass) {
        case Pass::forward:
            return layer.forward(engine());
        case Pass::backward_data:
            return layer.backward_data(engine());
        case Pass::backward_weights:
            return layer.backward_weights(engine());
        case Pass::update:
            return lower_update(engine(), task_.layer);
    }
}

// A layer that does not throw but refuses its own pass for the weights computes those gradients in
// the pass for the data.
template <class Engine, ViewRules Rules>
void GraphLowering<Engine, Rules>::include_in_data_pass() {
    if (task_.pass != Pass::backward_weights || program_.steps.empty()) {
        return;
    }
    Step& step = program_.steps.back().step;
    if (step.layer == task_.layer && step.pass == task_.pass && !step.runs()) {
        step.state = IncludedIn{Task{task_.layer, Pass::backward_data}};
    }
}

// Adds a step in the order of execution that has no calls.
template <class Engine, ViewRules Rules>
void GraphLowering<Engine, Rules>::add_included(const Task& fused_into) {
    add_step(StepKind::compute, {}, {});
    program_.steps.back().step.state = IncludedIn{fused_into};
}

template <class Engine, ViewRules Rules>
std::vector<LayerId> GraphLowering<Engine, Rules>::followers() const {
    const auto found = std::ranges::find(chains_, task_.layer, &FusedChain::first);
    return found == chains_.end() ? std::vector<LayerId>() : found->followers;
}

// If a layer has no result, the rest of the network still runs on values drawn like an input's.
template <class Engine, ViewRules Rules>
void GraphLowering<Engine, Rules>::give_up(const std::string& reason) {
    const Layer& layer = graph_.layers[task_.layer];
    const std::string sentence = kind_of(layer.op) + ": " + reason;
    if (task_.pass == Pass::forward) {
        refusals_[task_.layer] = sentence;
        for (const TensorId tensor : layer.outputs) {
            place_initial_value(tensor, engine().row_layout(tensor));
        }
    }
    refuse(sentence);
}

template <class Engine, ViewRules Rules>
void GraphLowering<Engine, Rules>::refuse(std::string reason) {
    add_step(StepKind::compute, {}, {});
    program_.steps.back().step.state = Refused{std::move(reason)};
}

template <class Engine, ViewRules Rules>
void GraphLowering<Engine, Rules>::add_step(StepKind kind, Work work, Bytes moved) {
    for (const Call& call : work.calls) {
        for (const BufferId id : Rules::buffers_of(call)) {
            program_.buffers[id].use(program_.steps.size());
        }
    }
    program_.steps.push_back(
        {step_of(task_, kind, std::move(work.text), work.workspace, moved), std::move(work.calls)});
}

template <class Engine, ViewRules Rules>
BufferId GraphLowering<Engine, Rules>::add_buffer(std::size_t bytes, Life life) {
    program_.buffers.push_back({.bytes = bytes, .life = life});
    return program_.buffers.size() - 1;
}

template <class Engine, ViewRules Rules>
auto GraphLowering<Engine, Rules>::make_transient(const Layout& layout) -> View {
    const Life life = keeps_memory() ? Life::persistent : Life::transient;
    return Rules::view_in(add_buffer(Rules::bytes_of(layout), life), layout);
}

template <class Engine, ViewRules Rules>
auto GraphLowering<Engine, Rules>::make_persistent(const Layout& layout,
                                                   std::function<HostValues()> values) -> View {
    const View view = Rules::view_in(add_buffer(Rules::bytes_of(layout), Life::persistent), layout);
    if (values) {
        program_.initializations.push_back({view, std::move(values)});
    }
    return view;
}

// Outputs are read after an iteration, so nothing may reuse their memory; if memory is kept, every
// tensor can be read.
template <class Engine, ViewRules Rules>
void GraphLowering<Engine, Rules>::bind_tensors() {
    for (const TensorId tensor : graph_.outputs) {
        for (const View& view : states_[tensor].values) {
            program_.buffers[view.buffer].last_step = program_.steps.size();
        }
    }
    program_.tensors.resize(states_.size());
    for (TensorId tensor = 0; tensor < states_.size(); ++tensor) {
        if (graph_.tensors[tensor].role != Role::activation) {
            value(tensor);  // even if every reader is refused
        }
        if (!states_[tensor].contributions.empty()) {
            gradient(tensor);  // of a network input that nobody reads
        }
        typename Program::TensorViews& views = program_.tensors[tensor];
        const TensorState& state = states_[tensor];
        if (!state.values.empty()) {
            views.value = state.values.front();
        }
        if (!state.gradients.empty()) {
            views.gradient = state.gradients.front();
        }
    }
}

}  // namespace strata
