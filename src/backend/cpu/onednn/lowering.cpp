// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/lowering.h"

#include "backend/cpu/onednn/layer_lowering.h"
#include "base/error.h"

#include <algorithm>

namespace strata::cpu {

namespace {

// Inference needs no gradients; the library is asked for user scratchpads so that their size is
// known and one piece of memory serves all.
dnnl::primitive_attr user_scratchpad() {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attributes;
}

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

// A layer that refuses its weights' pass itself, instead of throwing, does it with that of its
// data.
void include_in_data_pass(Program& program, const Task& task) {
    if (task.pass != Pass::backward_weights || program.steps.empty()) {
        return;
    }
    Step& step = program.steps.back().step;
    if (step.layer == task.layer && step.pass == task.pass && !step.refusal.empty()) {
        step.within = Task{task.layer, Pass::backward_data};
    }
}

}  // namespace

Lowering::Lowering(const Graph& graph, const Execution& execution, const dnnl::engine& engine)
    : graph_(graph),
      execution_(execution),
      engine_(engine),
      attributes_(user_scratchpad()),
      schedule_(schedule_of(graph, execution)),
      states_(graph.tensors.size()),
      refusals_(graph.layers.size()) {
    add_buffer(0, Life::persistent);
}

Program Lowering::run() {
    std::vector<Made> layers;
    for (const Layer& layer : graph_.layers) {
        layers.push_back(
            std::visit([&](const auto& op) { return cpu::lower(layer, op); }, layer.op));
    }
    for (const Task& task : schedule_.tasks) {
        task_ = task;
        lower(task, *layers[task.layer]);
    }
    keep_what_is_read();
    return std::move(program_);
}

void Lowering::lower(const Task& task, LayerLowering& layer) {
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
        include_in_data_pass(program_, task);
    } catch (const Refusal& refusal) {
        give_up(task, refusal.reason);
    } catch (const dnnl::error& error) {
        give_up(task, std::string("oneDNN has no primitive for it (") + error.what() + ")");
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
        place_from_outside(tensor, plain(extents(tensor), element_type(tensor)));
    }
}

BufferId Lowering::add_buffer(std::size_t bytes, Life life) {
    program_.buffers.push_back({.bytes = bytes, .life = life});
    return program_.buffers.size() - 1;
}

void Lowering::reserve_scratchpad(std::size_t bytes) {
    auto& reserved = program_.buffers[scratchpad].bytes;
    reserved = std::max(reserved, bytes);
}

Place Lowering::make_transient(const Desc& desc) {
    return {add_buffer(desc.get_size(), keeps_memory() ? Life::persistent : Life::transient), desc};
}

Place Lowering::make_persistent(const Desc& desc, std::function<HostValues()> values) {
    const Place place = {add_buffer(desc.get_size(), Life::persistent), desc};
    if (values) {
        program_.initializations.push_back({place, std::move(values)});
    }
    return place;
}

void Lowering::touch(BufferId id) {
    program_.buffers[id].use(program_.steps.size());
}

void Lowering::add_step(StepKind kind, StepText text, Bytes workspace, Bytes moved,
                        std::vector<Call> calls) {
    for (const Call& call : calls) {
        if (const auto* primitive = std::get_if<PrimitiveCall>(&call)) {
            for (const auto& [argument, place] : primitive->arguments) {
                touch(place.buffer);
            }
        } else {
            for (const Place& place : std::get<KernelCall>(call).places) {
                touch(place.buffer);
            }
        }
    }
    program_.steps.push_back(
        {step_of(task_, kind, std::move(text), workspace, moved), std::move(calls)});
}

void Lowering::compute(StepText text, std::vector<Call> calls, Bytes workspace) {
    add_step(StepKind::compute, std::move(text), workspace, {}, std::move(calls));
}

void Lowering::refuse(std::string reason) {
    add_step(StepKind::compute, {}, {}, {}, {});
    program_.steps.back().step.refusal = std::move(reason);
}

Call Lowering::reorder_call(const Place& from, const Place& to) {
    const dnnl::reorder::primitive_desc described(engine_, from.desc, engine_, to.desc,
                                                  attributes_);
    return call<dnnl::reorder>(described, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

Place Lowering::reordered(const Place& from, const Desc& wanted) {
    if (once_) {
        const Place to = make_persistent(wanted, {});
        program_.preparations.push_back(reorder_call(from, to));
        return to;
    }
    const Place to = make_transient(wanted);
    const dnnl::reorder::primitive_desc described(engine_, from.desc, engine_, wanted, attributes_);
    const auto bytes = static_cast<double>(from.desc.get_size() + wanted.get_size());
    add_step(StepKind::reorder, {described.impl_info_str(), text_of(from.desc, wanted)},
             scratchpad_of(described), {bytes},
             {call<dnnl::reorder>(described, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}})});
    return to;
}

// A copy in another layout or type, made by a step where there is none yet.
Place Lowering::convert(std::vector<Place>& copies, const Desc& wanted) {
    const auto found =
        std::ranges::find_if(copies, [&](const Place& copy) { return copy.desc == wanted; });
    if (found != copies.end()) {
        return *found;
    }
    const Place from = reshaped(copies.front(), copies, dims_of(wanted));
    if (from.desc == wanted) {
        return from;
    }
    copies.push_back(is_plain(from.desc) && is_plain(wanted) &&
                             type_of(from.desc) == type_of(wanted)
                         ? Place{from.buffer, wanted}
                         : reordered(from, wanted));
    return copies.back();
}

// The same elements under other extents: only a plain layout can be read so without a copy.
Place Lowering::reshaped(const Place& place, std::vector<Place>& copies,
                         const dnnl::memory::dims& extents) {
    if (dims_of(place.desc) == extents) {
        return place;
    }
    Place dense = place;
    if (!is_plain(place.desc)) {
        dense = convert(copies, plain(dims_of(place.desc), type_of(place.desc)));
    }
    return {dense.buffer, plain(extents, type_of(dense.desc))};
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

}  // namespace strata::cpu
