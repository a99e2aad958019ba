// SPDX-License-Identifier: MIT
#include "parallel/layer_costs.h"

#include "graph/executed.h"
#include "graph/memory.h"

#include <algorithm>

namespace strata {

BlockingExchange& BlockingExchange::operator+=(const BlockingExchange& other) {
    bytes += other.bytes;
    time += other.time;
    exposed += other.exposed;
    return *this;
}

namespace {

// Bytes that a device must read and write of each gradient in f32 to convert it and to convert the
// sum back: 16 bits read 4 and write 2, then the reverse; 1 bit reads the gradient and the error
// that is fed back (Seide et al. 2014), writes the new error, and the gradient from the sum. At the
// memory's peak that is a lower bound: launches, sums over ranks and further passes are not in it.
double encoding_bytes(int bits) {
    switch (bits) {
        case 16:
            return 12;
        case 1:
            return 16;
        default:
            return 0;
    }
}

// A layer waits for the sum of its results before the next one begins. The sum of its input's
// gradients goes on while gradients of weights are computed, which need only the results'.
void add_blocking(std::vector<LayerCost>& costs, const SplitExchange& exchange,
                  const DeviceWork& work, const Cluster& cluster, const ParallelPlan& plan) {
    Tensor sent = exchange.tensor;
    if (is_floating(sent.dtype)) {
        sent.dtype = work.execution.numerics.dtype;
    }
    BlockingExchange blocking{.bytes = exchange.times * sent.bytes(), .time = {}, .exposed = {}};
    const DeviceGroup group{.devices = plan.tensor, .all = plan.devices};
    blocking.time = exchange.times *
                    time_of(cluster, Collective::all_reduce, group, sent.bytes(), plan.algorithm);
    Seconds beside;
    for (const LayerId opener : exchange.openers) {
        beside += costs[opener].backward_weights;
    }
    blocking.exposed =
        plan.overlap == Overlap::on ? std::max(blocking.time - beside, Seconds{}) : blocking.time;
    LayerCost& cost = costs[exchange.layer];
    (exchange.pass == Pass::forward ? cost.after_forward : cost.after_backward) += blocking;
}

}  // namespace

Seconds encoding_time(const DeviceWork& work, double values, int bits) {
    return Bytes{values * encoding_bytes(bits)} / work.device.dram_bandwidth->value;
}

Bytes parameter_bytes(const DeviceWork& work, double values) {
    return Bytes{values * (work.execution.numerics.dtype == DataType::f32 ? 4 : 2)};
}

DeviceGroup replicas_of(const ParallelPlan& plan) {
    return {.devices = plan.replicas(), .stride = plan.tensor, .all = plan.devices};
}

std::vector<LayerCost> layer_costs(const DeviceWork& work, const Cluster& cluster,
                                   const ParallelPlan& plan) {
    std::vector<LayerCost> costs(work.graph.layers.size());
    for (const PredictedStep& step : work.prediction.steps) {
        LayerCost& cost = costs[step.layer];
        switch (step.pass) {
            case Pass::forward:
                cost.forward += step.time();
                break;
            case Pass::update:
                cost.update += step.time();
                break;
            case Pass::backward_weights:
                cost.backward_weights += step.time();
                [[fallthrough]];
            default:
                cost.backward += step.time();
                break;
        }
    }
    for (const SplitExchange& exchange : work.exchanges) {
        const bool is_needed = std::ranges::any_of(work.prediction.steps, [&](const auto& step) {
            return step.layer == exchange.layer && step.pass == exchange.pass;
        });
        if (is_needed) {
            add_blocking(costs, exchange, work, cluster, plan);
        }
    }
    const Schedule schedule = schedule_of(work.graph, work.execution);
    for (TensorId id = 0; id < work.graph.tensors.size(); ++id) {
        if (const auto layer = schedule.updated_by[id]) {
            const Tensor& tensor = work.graph.tensors[id].tensor;
            costs[*layer].values += values_of(tensor);
            costs[*layer].parameters += tensor.bytes();
        }
    }
    return costs;
}

std::vector<Unit> units_of(std::span<const LayerCost> costs, Bytes bucket) {
    std::vector<Unit> units;
    bool is_full = true;
    for (LayerId layer = costs.size(); layer-- > 0;) {
        if (is_full) {
            units.push_back({.last = layer});
            is_full = false;
        }
        Unit& unit = units.back();
        unit.first = layer;
        if (costs[layer].values > 0) {
            unit.ready = layer;
            unit.values += costs[layer].values;
            unit.parameters += costs[layer].parameters;
            is_full = unit.parameters >= bucket;
        }
    }
    // What remains in front of the first parameters belongs to the unit after it.
    if (units.size() > 1 && !(units.back().values > 0)) {
        const LayerId first = units.back().first;
        units.pop_back();
        units.back().first = first;
    }
    return units;
}

// Bytes of activations that layers after this one read of it and those before it.
std::vector<Bytes> bytes_after(const DeviceWork& work) {
    std::vector<Bytes> sent(work.graph.layers.size());
    const auto producers = producers_of(work.graph);
    const auto readers = consumers_of(work.graph);
    for (TensorId id = 0; id < work.graph.tensors.size(); ++id) {
        if (!producers[id] || readers[id].empty()) {
            continue;
        }
        const Bytes bytes = held_bytes(work.graph.tensors[id], work.execution.numerics);
        for (LayerId layer = *producers[id]; layer < readers[id].back(); ++layer) {
            sent[layer] += bytes;
        }
    }
    return sent;
}

// What each layer's results keep in memory until the backward pass.
std::vector<Bytes> kept_by_layer(const DeviceWork& work) {
    std::vector<Bytes> kept(work.graph.layers.size());
    const auto producers = producers_of(work.graph);
    const std::size_t forward_tasks = work.graph.layers.size();
    for (const Buffer& buffer : lifetimes_of(work.graph, work.execution)) {
        const bool is_kept = buffer.lifetime.last_task >= forward_tasks &&
                             (buffer.kind == BufferKind::value || buffer.kind == BufferKind::saved);
        if (is_kept && producers[buffer.tensor]) {
            kept[*producers[buffer.tensor]] += buffer.lifetime.size;
        }
    }
    return kept;
}

namespace {

// What need not be kept if each unit is computed again.
Bytes recomputed_bytes(const DeviceWork& work, std::span<const Unit> units) {
    const std::vector<Bytes> kept = kept_by_layer(work), after = bytes_after(work);
    Bytes saved, largest;
    for (const Unit& unit : units) {
        Bytes own;
        for (LayerId layer = unit.first; layer <= unit.last; ++layer) {
            own += kept[layer];
        }
        largest = std::max(largest, own);
        saved += own - std::min(own, after[unit.last]);
    }
    return saved - std::min(saved, largest);
}

}  // namespace

DeviceMemory divided_memory(const DeviceWork& work, std::span<const Unit> units,
                            const ParallelPlan& plan) {
    const Footprint footprint = footprint_of(work.graph, work.execution);
    DeviceMemory memory{.parameters = footprint.parameters,
                        .optimizer = footprint.optimizer,
                        .passes = footprint.peak - footprint.parameters - footprint.optimizer};
    if (plan.activations == Activations::recomputed) {
        memory.passes -= std::min(memory.passes, recomputed_bytes(work, units));
    }
    if (plan.replicas() == 1) {
        return memory;
    }
    Bytes largest;
    for (const Unit& unit : units) {
        memory.gradients += unit.parameters;
        largest = std::max(largest, unit.parameters);
    }
    const auto share = [&](int stage) { return plan.zero >= stage ? 1.0 / plan.replicas() : 1.0; };
    memory.parameters *= share(3);
    memory.optimizer *= share(1);
    memory.gradients *= share(2);
    if (plan.zero >= 3) {
        memory.parameters += 2 * largest;
    }
    return memory;
}

}  // namespace strata
