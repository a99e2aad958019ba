// SPDX-License-Identifier: MIT
#include "graph/schedule.h"

#include "op/rules.h"

#include <algorithm>

namespace strata {

namespace {

bool is_loss(const Layer& layer) {
    return std::holds_alternative<SoftmaxCrossEntropy>(layer.op);
}

bool is_opaque(const Layer& layer) {
    return std::holds_alternative<Opaque>(layer.op);
}

// One schedule under construction.
class Scheduler {
public:
    Scheduler(const Graph& graph, const Execution& execution)
        : graph_(graph), execution_(execution), learns_(graph.tensors.size()) {
        schedule_.needs_gradient.resize(graph.tensors.size());
        schedule_.gradient_given.resize(graph.tensors.size());
        schedule_.updated_by.resize(graph.tensors.size());
    }

    Schedule run() {
        for (LayerId layer = 0; layer < graph_.layers.size(); ++layer) {
            schedule_.tasks.push_back({layer, Pass::forward});
        }
        if (execution_.numerics.mode == Mode::training) {
            find_trained();
            find_accepted_gradients();
            for (LayerId layer = graph_.layers.size(); layer-- > 0;) {
                mark_gradients(layer);
            }
            for (LayerId layer = graph_.layers.size(); layer-- > 0;) {
                add_backward_tasks(layer);
            }
        }
        return std::move(schedule_);
    }

private:
    bool is_differentiable(TensorId id) const {
        return receives_gradient({graph_.tensors[id].tensor, graph_.tensors[id].role});
    }

    bool is_parameter(TensorId id) const { return graph_.tensors[id].role == Role::parameter; }

    // Tensors whose gradient is needed: parameters, whatever depends on them, and the network's own
    // input if requested.
    void find_trained() {
        for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
            const bool asked =
                graph_.tensors[id].role == Role::input && is_differentiable(id) &&
                execution_.numerics.first_layer_gradient == FirstLayerGradient::computed;
            learns_[id] = is_parameter(id) || asked;
        }
        for (const Layer& layer : graph_.layers) {
            const bool passes_on = !is_opaque(layer) && !is_loss(layer) && any_learns(layer.inputs);
            for (const TensorId id : layer.outputs) {
                learns_[id] = passes_on && is_differentiable(id);
            }
        }
    }

    bool any_learns(const std::vector<TensorId>& ids) const {
        return std::ranges::any_of(ids, [&](TensorId id) { return learns_[id]; });
    }

    // Gradients start at outputs of a network without a loss, and at what opaque layers read.
    void find_accepted_gradients() {
        may_be_given_.resize(graph_.tensors.size());
        if (std::ranges::none_of(graph_.layers, is_loss)) {
            for (const TensorId id : graph_.outputs) {
                may_be_given_[id] = true;
            }
        }
        for (const Layer& layer : graph_.layers) {
            for (const TensorId id : is_opaque(layer) ? layer.inputs : std::vector<TensorId>{}) {
                may_be_given_[id] = true;
            }
        }
    }

    // Requires: all later layers are marked, so the readers of this layer's outputs have requested
    // their gradients.
    void mark_gradients(LayerId layer) {
        const Layer& node = graph_.layers[layer];
        for (const TensorId id : node.outputs) {
            const bool given = learns_[id] && may_be_given_[id] && !schedule_.needs_gradient[id];
            schedule_.gradient_given[id] = given;
            schedule_.needs_gradient[id] = schedule_.needs_gradient[id] || given;
        }
        if (!goes_backward(node)) {
            return;
        }
        for (const TensorId id : node.inputs) {
            schedule_.needs_gradient[id] = schedule_.needs_gradient[id] || learns_[id];
            if (is_parameter(id)) {
                schedule_.updated_by[id] = layer;
            }
        }
    }

    bool goes_backward(const Layer& layer) const {
        return is_loss(layer) || std::ranges::any_of(layer.outputs, [&](TensorId id) {
                   return schedule_.needs_gradient[id];
               });
    }

    void add_backward_tasks(LayerId layer) {
        const Layer& node = graph_.layers[layer];
        if (!goes_backward(node)) {
            return;
        }
        const auto any = [&](auto&& holds) { return std::ranges::any_of(node.inputs, holds); };
        const bool data_first = reads_of(node.op).data_before_weights;
        for (const bool of_data : {data_first, !data_first}) {
            const auto wanted = [&](TensorId id) {
                return of_data ? learns_[id] && !is_parameter(id) : is_parameter(id);
            };
            add_if(any(wanted), layer, of_data ? Pass::backward_data : Pass::backward_weights);
        }
        add_if(any([&](TensorId id) { return schedule_.updated_by[id] == layer; }), layer,
               Pass::update);
    }

    void add_if(bool wanted, LayerId layer, Pass pass) {
        const Layer& node = graph_.layers[layer];
        if (wanted && has_pass(node.op, signature_of(graph_, node), pass)) {
            schedule_.tasks.push_back({layer, pass});
        }
    }

    const Graph& graph_;
    const Execution& execution_;
    std::vector<bool> learns_;
    std::vector<bool> may_be_given_;
    Schedule schedule_;
};

}  // namespace

Schedule schedule_of(const Graph& graph, const Execution& execution) {
    return Scheduler(graph, execution).run();
}

std::vector<ScheduledStep> steps_of(const Graph& graph, const Schedule& schedule) {
    std::vector<ScheduledStep> steps;
    steps.reserve(schedule.tasks.size());
    std::vector<bool> has_gradient(graph.tensors.size());
    for (const Task& task : schedule.tasks) {
        steps.push_back({task});
        if (task.pass != Pass::backward_data) {
            continue;
        }
        for (const TensorId id : graph.layers[task.layer].inputs) {
            const GraphTensor& input = graph.tensors[id];
            if (!schedule.needs_gradient[id] || !receives_gradient({input.tensor, input.role})) {
                continue;
            }
            if (has_gradient[id]) {
                steps.push_back({task, id});
            }
            has_gradient[id] = true;
        }
    }
    return steps;
}

}  // namespace strata
