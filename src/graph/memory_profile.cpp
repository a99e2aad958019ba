// SPDX-License-Identifier: MIT
#include "graph/memory_profile.h"

#include "graph/executed.h"
#include "graph/plan.h"

#include <algorithm>

namespace strata {

namespace {

constexpr auto nobody = static_cast<LayerId>(-1);

// By tensor: the layer that its memory is attributed to.
std::vector<LayerId> owners_of(const Graph& graph) {
    std::vector<LayerId> owners(graph.tensors.size(), nobody);
    for (LayerId layer = 0; layer < graph.layers.size(); ++layer) {
        for (const TensorId id : graph.layers[layer].inputs) {
            if (is_persistent(graph.tensors[id].role) && owners[id] == nobody) {
                owners[id] = layer;
            }
        }
        for (const TensorId id : graph.layers[layer].outputs) {
            owners[id] = layer;
        }
    }
    return owners;
}

bool is_alive(const Lifetime& lifetime, std::size_t task) {
    return lifetime.first_task <= task && task <= lifetime.last_task;
}

// One profile under construction.
class Profiler {
public:
    Profiler(const Graph& graph, const Execution& execution)
        : graph_(graph), execution_(execution), owners_(owners_of(graph)) {
        profile_.layers.resize(graph.layers.size());
    }

    MemoryProfile run() {
        const Schedule schedule = schedule_of(graph_, execution_);
        const auto& tasks = schedule.tasks;
        const auto buffers = lifetimes_of(graph_, execution_, schedule);
        const auto needed = needed_by_task(buffers);
        worst_ = static_cast<std::size_t>(std::ranges::max_element(needed) - needed.begin());
        forward_ = static_cast<std::size_t>(std::ranges::count(tasks, Pass::forward, &Task::pass));
        if (worst_ < tasks.size()) {
            profile_.at = tasks[worst_];
        }
        add_persistent();
        for (const Buffer& buffer : buffers) {
            add(buffer);
        }
        add_up();
        return profile_;
    }

private:
    LayerMemory& owner_of(TensorId tensor) {
        const LayerId owner = owners_[tensor];
        return owner == nobody ? profile_.outside : profile_.layers[owner];
    }

    void add_persistent() {
        const bool trains = execution_.numerics.mode == Mode::training;
        const double states = trains ? cost_of(execution_.numerics.optimizer).states : 0;
        for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
            const GraphTensor& tensor = graph_.tensors[id];
            if (!is_persistent(tensor.role)) {
                continue;
            }
            const Bytes size = held_bytes(tensor, execution_.numerics);
            const Bytes kept = tensor.role == Role::parameter ? states * size : Bytes{};
            LayerMemory& owner = owner_of(id);
            owner.parameters += size;
            owner.optimizer += kept;
            owner.at_peak += size + kept;
            profile_.peak.parameters += size;
            profile_.peak.optimizer += kept;
        }
    }

    void add(const Buffer& buffer) {
        LayerMemory& owner = owner_of(buffer.tensor);
        const Bytes size = buffer.lifetime.size;
        const bool computed = buffer.kind == BufferKind::value || buffer.kind == BufferKind::saved;
        (computed ? owner.activations : owner.gradients) += size;
        if (computed && buffer.lifetime.last_task >= forward_) {
            owner.kept += size;
        }
        if (is_alive(buffer.lifetime, worst_)) {
            owner.at_peak += size;
            part_of(buffer.kind) += size;
        }
    }

    Bytes& part_of(BufferKind kind) {
        PeakParts& peak = profile_.peak;
        return kind == BufferKind::value   ? peak.activations
               : kind == BufferKind::saved ? peak.saved
                                           : peak.gradients;
    }

    void add_up() {
        profile_.total = profile_.outside;
        for (const LayerMemory& layer : profile_.layers) {
            profile_.total += layer;
        }
    }

    const Graph& graph_;
    const Execution& execution_;
    std::vector<LayerId> owners_;
    std::size_t worst_ = 0;
    std::size_t forward_ = 0;  // tasks of the forward pass
    MemoryProfile profile_;
};

}  // namespace

LayerMemory& LayerMemory::operator+=(const LayerMemory& other) {
    parameters += other.parameters;
    optimizer += other.optimizer;
    activations += other.activations;
    kept += other.kept;
    gradients += other.gradients;
    at_peak += other.at_peak;
    return *this;
}

MemoryProfile memory_profile_of(const Graph& graph, const Execution& execution) {
    return Profiler(graph, execution).run();
}

}  // namespace strata
