// SPDX-License-Identifier: MIT
#include "graph/schedule.h"

#include "base/error.h"

#include <algorithm>
#include <numeric>

namespace strata {

namespace {

// Layers whose backward_data is executed.
std::vector<bool> layers_with_backward_data(const Graph& graph, const Schedule& schedule) {
    std::vector<bool> result(graph.layers.size());
    for (const Task& task : schedule.tasks) {
        if (task.pass == Pass::backward_data) {
            result[task.layer] = true;
        }
    }
    return result;
}

// One sharing under construction: layer by layer, an output joins its input's memory if it may.
class Sharer {
public:
    Sharer(const Graph& graph, const Execution& execution, const Schedule& schedule)
        : graph_(graph),
          execution_(execution),
          schedule_(schedule),
          goes_backward_(layers_with_backward_data(graph, schedule)),
          consumers_(consumers_of(graph)),
          producers_(producers_of(graph)),
          undecided_(graph.tensors.size()),
          never_free_(graph.tensors.size()),
          readers_joined_(graph.tensors.size()),
          is_output_(graph.tensors.size()) {
        sharing_.value.resize(graph.tensors.size());
        std::iota(sharing_.value.begin(), sharing_.value.end(), TensorId{0});
        sharing_.gradient = sharing_.value;
        for (TensorId id = 0; id < graph.tensors.size(); ++id) {
            undecided_[id] = {id};
        }
        for (const TensorId id : graph.outputs) {
            is_output_[id] = true;
        }
    }

    Sharing run() {
        for (LayerId layer = 0; layer < graph_.layers.size(); ++layer) {
            if (moves_nothing(graph_.layers[layer].op) || may_overwrite(layer)) {
                join(graph_.layers[layer]);
            }
        }
        return std::move(sharing_);
    }

private:
    bool keeps_memory() const { return execution_.scheduling.memory == MemoryReuse::kept; }

    // Operators whose result equals their input, element by element.
    bool moves_nothing(const Op& op) const {
        const bool idle_dropout =
            std::holds_alternative<Dropout>(op) && execution_.numerics.mode == Mode::inference;
        return std::holds_alternative<Reshape>(op) || (idle_dropout && !keeps_memory());
    }

    void join(const Layer& layer) {
        const TensorId input = layer.inputs[0];
        const TensorId output = layer.outputs[0];
        sharing_.value[output] = sharing_.value[input];
        undecided_[sharing_.value[input]].push_back(output);
        if (consumers_[input].size() == 1 && schedule_.needs_gradient[input] &&
            schedule_.needs_gradient[output] && !schedule_.gradient_given[output]) {
            sharing_.gradient[output] = sharing_.gradient[input];
        }
    }

    // Whether each element of the result is a function of the same element of the only operand, and
    // takes its place.
    bool maps_elements(const Layer& layer) const {
        return std::holds_alternative<Activation>(layer.op) ||
               (std::holds_alternative<Unary>(layer.op) &&
                graph_.tensors[layer.inputs[0]].tensor == graph_.tensors[layer.outputs[0]].tensor);
    }

    // Whether the layer may overwrite its input with its result: nothing reads the input later.
    bool may_overwrite(LayerId layer) {
        const Layer& node = graph_.layers[layer];
        if (!maps_elements(node) || keeps_memory() ||
            (goes_backward_[layer] && reads_of(node.op).input_for_data)) {
            return false;
        }
        const TensorId owner = sharing_.value[node.inputs[0]];
        auto& members = undecided_[owner];
        for (std::size_t i = 0; i < members.size() && !never_free_[owner];) {
            switch (freedom(members[i], owner, layer)) {
                case Freedom::for_good:  // not checked again, which would make long chains slow
                    members[i] = members.back();
                    members.pop_back();
                    break;
                case Freedom::for_this_layer:
                    ++i;
                    break;
                case Freedom::not_yet:
                    return false;
                case Freedom::never:
                    never_free_[owner] = true;
            }
        }
        return !never_free_[owner];
    }

    // Whether shared memory may be overwritten: layers that joined the memory keep it, and layers
    // that have run without joining still read it.
    enum class Freedom { for_good, for_this_layer, not_yet, never };

    Freedom freedom(TensorId id, TensorId owner, LayerId layer) {
        if (graph_.tensors[id].role != Role::activation || is_output_[id] ||
            is_read_by_its_producer(id)) {
            return Freedom::never;
        }
        const auto& readers = consumers_[id];
        std::size_t& joined = readers_joined_[id];
        while (joined < readers.size() && has_joined(readers[joined], owner)) {
            ++joined;
        }
        if (joined == readers.size()) {
            return Freedom::for_good;
        }
        if (readers[joined] == layer && joined + 1 == readers.size()) {
            return Freedom::for_this_layer;
        }
        return readers[joined] < layer ? Freedom::never : Freedom::not_yet;
    }

    bool is_read_by_its_producer(TensorId id) const {
        const auto producer = producers_[id];
        return producer && goes_backward_[*producer] &&
               reads_of(graph_.layers[*producer].op).output_for_data;
    }

    // Whether the layer's result is in that memory: it has already read its input, and its backward
    // pass does not read it again.
    bool has_joined(LayerId reader, TensorId owner) const {
        const auto& outputs = graph_.layers[reader].outputs;
        return !outputs.empty() && outputs[0] != owner && sharing_.value[outputs[0]] == owner;
    }

    const Graph& graph_;
    const Execution& execution_;
    const Schedule& schedule_;
    std::vector<bool> goes_backward_;  // by layer
    std::vector<std::vector<LayerId>> consumers_;
    std::vector<std::optional<LayerId>> producers_;
    std::vector<std::vector<TensorId>>
        undecided_;                            // by owner: may not be overwritten permanently yet
    std::vector<bool> never_free_;             // by owner
    std::vector<std::size_t> readers_joined_;  // by tensor: how many of its readers, from the first
    std::vector<bool> is_output_;              // by tensor
    Sharing sharing_;
};

}  // namespace

Sharing sharing_of(const Graph& graph, const Execution& execution, const Schedule& schedule) {
    return Sharer(graph, execution, schedule).run();
}

Sharing sharing_of(const Graph& graph, const Execution& execution) {
    return sharing_of(graph, execution, schedule_of(graph, execution));
}

bool runs_in_place(const Graph& graph, const Layer& layer, const Execution& execution) {
    if (layer.inputs.empty() || layer.outputs.empty()) {
        return false;
    }
    const Sharing sharing = sharing_of(graph, execution);
    return sharing.value[layer.outputs[0]] == sharing.value[layer.inputs[0]];
}

}  // namespace strata
