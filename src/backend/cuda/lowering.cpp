// SPDX-License-Identifier: MIT
#include "backend/cuda/lowering.h"

#include "backend/cuda/layer_lowering.h"

#include <algorithm>

namespace strata::cuda {

namespace {

void lower_pass(Lowering& lowering, const Task& task, LayerLowering& layer) {
    switch (task.pass) {
        case Pass::forward:
            return layer.forward(lowering);
        case Pass::backward_data:
            return layer.backward_data(lowering);
        case Pass::backward_weights:
            return layer.backward_weights(lowering);
        case Pass::update:
            return lower_update(lowering, task.layer);
    }
}

bool reads_past_l1(const std::vector<Call>& calls) {
    return std::ranges::any_of(calls, [](const Call& call) {
        const auto* kernel = std::get_if<Kernel>(&call.function);
        return kernel != nullptr && kernel->reads == Reads::past_l1;
    });
}

}  // namespace

std::size_t workspace_of(const Call& call) {
    const auto* library = std::get_if<std::shared_ptr<LibraryCall>>(&call.function);
    return library ? (*library)->workspace() : 0;
}

Place part_of(const Place& place, std::int64_t first_element, Dims dims) {
    const auto begin = static_cast<std::size_t>(first_element) * size_in_bytes(place.format.type);
    return {place.buffer, std::move(dims), place.format, place.offset + begin};
}

Lowering::Lowering(const Graph& graph, const Execution& execution,
                   const DeviceProperties& properties, LayerForm layer_form)
    : graph_(graph),
      execution_(execution),
      properties_(properties),
      layer_form_(layer_form),
      schedule_(schedule_of(graph, execution)),
      states_(graph.tensors.size()),
      refusals_(graph.layers.size()) {
    if (execution.fusion == Fusion::convolution) {
        chains_ = convolution_chains(graph, execution.mode);
    }
}

Program Lowering::run() {
    std::vector<Made> layers;
    for (const Layer& layer : graph_.layers) {
        layers.push_back(
            std::visit([&](const auto& op) { return cuda::lower(layer, op); }, layer.op));
    }
    for (const Task& task : schedule_.tasks) {
        task_ = task;
        lower(task, *layers[task.layer]);
    }
    keep_what_is_read();
    return std::move(program_);
}

std::vector<LayerId> Lowering::followers() const {
    const auto found = std::ranges::find(chains_, task_.layer, &FusedChain::first);
    return found == chains_.end() ? std::vector<LayerId>() : found->followers;
}

// Stands in the order of execution as if it ran, but has nothing to call.
void Lowering::add_included(const Task& doer) {
    const Layer& layer = graph_.layers[doer.layer];
    refuse("done in one operation with " + layer.name);
    program_.steps.back().step.within = doer;
}

void Lowering::lower(const Task& task, LayerLowering& layer) {
    if (const auto included = included_.find(task); included != included_.end()) {
        return add_included(included->second);
    }
    const std::string& refusal = refusals_[task.layer];
    if (refusal.empty() || task.pass == Pass::update) {
        lower_guarded(task, layer);
    } else {
        refuse(refusal);
    }
}

// What the library cannot do ends the pass, not the network.
void Lowering::lower_guarded(const Task& task, LayerLowering& layer) {
    try {
        refuse_omitted(execution_, graph_.layers[task.layer], task.pass);
        lower_pass(*this, task, layer);
    } catch (const Refusal& refusal) {
        give_up(task, refusal.reason);
    }
}

void Lowering::give_up(const Task& task, const std::string& reason) {
    const Layer& layer = graph_.layers[task.layer];
    const std::string sentence = kind_of(layer.op) + ": " + reason;
    if (task.pass == Pass::forward) {
        refusals_[task.layer] = sentence;
        make_outputs_persistent(layer);
    }
    refuse(sentence);
}

// The rest of the network still runs, on values drawn like an input's.
void Lowering::make_outputs_persistent(const Layer& layer) {
    for (const TensorId tensor : layer.outputs) {
        states_[tensor].values.clear();
        place_from_outside(tensor, row_format(tensor));
    }
}

ElementType Lowering::element_type() const {
    switch (execution_.dtype) {
        case DataType::f16:
            return ElementType::f16;
        case DataType::bf16:
            return ElementType::bf16;
        default:
            return ElementType::f32;
    }
}

ElementType Lowering::element_type(TensorId tensor) const {
    return is_floating(graph_.tensors[tensor].tensor.dtype) ? element_type() : ElementType::f32;
}

BufferId Lowering::add_buffer(std::size_t bytes, Life life) {
    program_.buffers.push_back({.bytes = bytes, .life = life});
    return program_.buffers.size() - 1;
}

Place Lowering::make_transient(Dims dims, Format format) {
    Place place = {0, std::move(dims), format};
    place.buffer = add_buffer(place.bytes(), keeps_memory() ? Life::persistent : Life::transient);
    return place;
}

Place Lowering::make_persistent(Dims dims, Format format, std::function<HostValues()> values) {
    Place place = {0, std::move(dims), format};
    place.buffer = add_buffer(place.bytes(), Life::persistent);
    if (values) {
        program_.initializations.push_back({place, std::move(values)});
    }
    return place;
}

void Lowering::touch(BufferId id) {
    program_.buffers[id].use(program_.steps.size());
}

void Lowering::add_step(StepKind kind, StepText text, Bytes moved, std::vector<Call> calls) {
    text.implementation += reads_past_l1(calls) ? " past L1" : "";
    std::size_t workspace = 0;
    for (const Call& call : calls) {
        workspace = std::max(workspace, workspace_of(call));
        for (const Place& place : call.places) {
            touch(place.buffer);
        }
    }
    program_.steps.push_back(
        {step_of(task_, kind, std::move(text), Bytes{static_cast<double>(workspace)}, moved),
         std::move(calls)});
}

void Lowering::compute(StepText text, std::vector<Call> calls) {
    add_step(StepKind::compute, std::move(text), {}, std::move(calls));
}

void Lowering::compute(Kernel kernel, std::vector<Place> places) {
    StepText text = {kernel.name, text_of(places.front().dims, places.front().format)};
    compute(std::move(text), {Call{std::move(kernel), std::move(places)}});
}

void Lowering::refuse(std::string reason) {
    add_step(StepKind::compute, {}, {}, {});
    program_.steps.back().step.refusal = std::move(reason);
}

// Outputs are read after an iteration, so nothing may take their memory; of kept memory everything
// can be read.
void Lowering::keep_what_is_read() {
    for (const TensorId tensor : graph_.outputs) {
        for (const Place& place : states_[tensor].values) {
            program_.buffers[place.buffer].last_step = program_.steps.size();
        }
    }
    program_.tensors.resize(states_.size());
    for (TensorId tensor = 0; tensor < states_.size(); ++tensor) {
        if (graph_.tensors[tensor].role != Role::activation) {
            value(tensor);  // also where every reader is refused
        }
        if (!states_[tensor].contributions.empty()) {
            gradient(tensor);  // of the network's input, which nobody reads
        }
        Program::TensorPlaces& places = program_.tensors[tensor];
        TensorState& state = states_[tensor];
        if (!state.values.empty()) {
            places.value = state.values.front();
        }
        if (!state.gradients.empty()) {
            places.gradient = state.gradients.front();
        }
    }
}

}  // namespace strata::cuda
