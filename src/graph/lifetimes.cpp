// SPDX-License-Identifier: MIT
#include "graph/plan.h"

#include <algorithm>
#include <optional>

namespace strata {

namespace {

using TaskIndex = std::size_t;

// The first and last task that touch a buffer; nothing if none does.
using Life = std::optional<Lifetime>;

void extend(Life& life, TaskIndex task) {
    if (!life) {
        life = Lifetime{{}, task, task};
    }
    life->first_task = std::min(life->first_task, task);
    life->last_task = std::max(life->last_task, task);
}

bool is_data(Role role) {
    return role == Role::activation || role == Role::input || role == Role::label;
}

// Follows one execution task by task and records what each touches.
class LayerFollower {
public:
    LayerFollower(const Graph& graph, const Execution& execution, const Schedule& schedule)
        : graph_(graph),
          execution_(execution),
          schedule_(schedule),
          sharing_(sharing_of(graph, execution, schedule)),
          values_(graph.tensors.size()),
          gradients_(graph.tensors.size()),
          saved_(graph.layers.size()),
          written_(graph.tensors.size()) {}

    std::vector<Buffer> run() {
        if (schedule_.tasks.empty()) {
            return {};
        }
        for (TaskIndex task = 0; task < schedule_.tasks.size(); ++task) {
            follow(task);
        }
        lengthen();
        return collect();
    }

private:
    void follow(TaskIndex task) {
        const Layer& layer = graph_.layers[schedule_.tasks[task].layer];
        switch (schedule_.tasks[task].pass) {
            case Pass::forward:
                return forward(task, layer);
            case Pass::backward_data:
                return backward_data(task, layer);
            case Pass::backward_weights:
                return backward_weights(task, layer);
            case Pass::update:
                return update(task, layer);
        }
    }

    void forward(TaskIndex task, const Layer& layer) {
        touch_values(layer.inputs, task);
        touch_values(layer.outputs, task);
        if (saved_bytes(layer) > Bytes{}) {
            extend(saved_[schedule_.tasks[task].layer], task);
        }
    }

    void backward_data(TaskIndex task, const Layer& layer) {
        const BackwardReads reads = reads_of(layer.op);
        read_gradients(task, layer);
        const auto only = only_receiver(layer);
        for (const TensorId id : layer.inputs) {
            if (reads.input_for_data && !(reads.only_others_for_data && only == id)) {
                extend(value_of(id), task);
            }
        }
        if (reads.output_for_data) {
            touch_values(layer.outputs, task);
        }
        write_gradients(task, layer, [](Role role) { return role != Role::parameter; });
    }

    void backward_weights(TaskIndex task, const Layer& layer) {
        read_gradients(task, layer);
        const BackwardReads reads = reads_of(layer.op);
        if (reads.input_for_weights) {
            touch_values(layer.inputs, task);
        }
        if (reads.data_before_weights && reads.output_for_data) {
            touch_values(layer.outputs, task);
        }
        write_gradients(task, layer, [](Role role) { return role == Role::parameter; });
    }

    void update(TaskIndex task, const Layer& layer) {
        for (const TensorId id : layer.inputs) {
            if (schedule_.updated_by[id] == schedule_.tasks[task].layer) {
                extend(gradient_of(id), task);
            }
        }
    }

    // The only operand that needs a gradient, which need not be read for it; nothing if several
    // need one or the operand appears twice.
    std::optional<TensorId> only_receiver(const Layer& layer) const {
        std::optional<TensorId> only;
        for (const TensorId id : layer.inputs) {
            if (graph_.tensors[id].role == Role::parameter || !schedule_.needs_gradient[id]) {
                continue;
            }
            if (only) {
                return std::nullopt;
            }
            only = id;
        }
        return only;
    }

    void touch_values(const std::vector<TensorId>& ids, TaskIndex task) {
        for (const TensorId id : ids) {
            extend(value_of(id), task);
        }
    }

    // Both backward passes read the gradient of the result and what the forward pass saved.
    void read_gradients(TaskIndex task, const Layer& layer) {
        for (const TensorId id : layer.outputs) {
            if (schedule_.needs_gradient[id]) {
                extend(gradient_of(id), task);
            }
        }
        Life& saved = saved_[schedule_.tasks[task].layer];
        if (saved) {
            extend(saved, task);
        }
    }

    template <class Chosen>
    void write_gradients(TaskIndex task, const Layer& layer, Chosen chosen) {
        for (const TensorId id : layer.inputs) {
            if (!schedule_.needs_gradient[id] || !chosen(graph_.tensors[id].role)) {
                continue;
            }
            extend(gradient_of(id), task);
            if (written_[id]) {
                contributions_.push_back(
                    {BufferKind::contribution, id, {gradient_bytes(id), task, task}});
            }
            written_[id] = true;
        }
    }

    // Extends what must outlive the tasks that touch it.
    void lengthen() {
        const TaskIndex last = schedule_.tasks.size() - 1;
        for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
            const Role role = graph_.tensors[id].role;
            if (role == Role::input || role == Role::label) {
                values_[id] = Lifetime{{}, 0, last};
            }
            if (schedule_.gradient_given[id]) {
                gradient_of(id) = Lifetime{{}, 0, last};
            }
        }
        for (const TensorId id : graph_.outputs) {
            extend(value_of(id), last);
        }
    }

    std::vector<Buffer> collect() {
        std::vector<Buffer> buffers;
        for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
            if (is_data(graph_.tensors[id].role)) {
                add(buffers, BufferKind::value, id, values_[id], data_bytes(id));
            }
            add(buffers, BufferKind::gradient, id, gradients_[id], gradient_bytes(id));
        }
        for (LayerId id = 0; id < graph_.layers.size(); ++id) {
            add_saved(buffers, graph_.layers[id], saved_[id]);
        }
        for (const Buffer& part : contributions_) {
            add(buffers, part.kind, part.tensor, part.lifetime, part.lifetime.size);
        }
        return buffers;
    }

    Bytes saved_bytes(const Layer& layer) const {
        return saved_bytes_of(layer.op, signature_of(graph_, layer));
    }

    void add_saved(std::vector<Buffer>& buffers, const Layer& layer, const Life& life) const {
        if (!life || life->first_task == life->last_task) {
            return;  // no backward pass reads it, so the forward pass need not save it
        }
        add(buffers, BufferKind::saved, layer.outputs[0], life, saved_bytes(layer));
    }

    void add(std::vector<Buffer>& buffers, BufferKind kind, TensorId id, const Life& life,
             Bytes size) const {
        if (!life) {
            return;
        }
        Lifetime lifetime = {size, life->first_task, life->last_task};
        if (execution_.scheduling.memory == MemoryReuse::kept) {
            lifetime.first_task = 0;
            lifetime.last_task = schedule_.tasks.size() - 1;
        }
        buffers.push_back({kind, id, lifetime});
    }

    Life& value_of(TensorId id) { return values_[sharing_.value[id]]; }
    Life& gradient_of(TensorId id) { return gradients_[sharing_.gradient[id]]; }

    // Activations have the execution's element type if their own is a float type.
    Bytes data_bytes(TensorId id) const {
        Tensor tensor = graph_.tensors[id].tensor;
        if (tensor.dtype == DataType::f32) {
            tensor.dtype = execution_.numerics.dtype;
        }
        return tensor.bytes();
    }

    Bytes gradient_bytes(TensorId id) const {
        const GraphTensor& tensor = graph_.tensors[id];
        return tensor.role == Role::parameter ? tensor.tensor.bytes() : data_bytes(id);
    }

    const Graph& graph_;
    const Execution& execution_;
    const Schedule& schedule_;
    Sharing sharing_;
    std::vector<Life> values_;     // by owner
    std::vector<Life> gradients_;  // by owner
    std::vector<Life> saved_;      // by layer
    std::vector<bool> written_;    // by tensor: a layer has written its gradient
    std::vector<Buffer> contributions_;
};

}  // namespace

std::vector<Buffer> lifetimes_of(const Graph& graph, const Execution& execution,
                                 const Schedule& schedule) {
    return LayerFollower(graph, execution, schedule).run();
}

std::vector<Buffer> lifetimes_of(const Graph& graph, const Execution& execution) {
    return lifetimes_of(graph, execution, schedule_of(graph, execution));
}

}  // namespace strata
