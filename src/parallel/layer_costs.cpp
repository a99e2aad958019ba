// SPDX-License-Identifier: MIT
#include "parallel/layer_costs.h"

#include "graph/executed.h"
#include "graph/memory.h"

#include <algorithm>

namespace strata {

std::vector<LayerCost> layer_costs(const DeviceWork& work) {
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
            default:
                cost.backward += step.time();
                break;
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

Bytes divided_memory(const DeviceWork& work, std::span<const Unit> units,
                     const ParallelPlan& plan) {
    const Footprint footprint = footprint_of(work.graph, work.execution);
    if (plan.devices == 1) {
        return footprint.peak;
    }
    Bytes gradients, largest;
    for (const Unit& unit : units) {
        gradients += unit.parameters;
        largest = std::max(largest, unit.parameters);
    }
    const auto share = [&](int stage) { return plan.zero >= stage ? 1.0 / plan.devices : 1.0; };
    const Bytes rest = footprint.peak - footprint.parameters - footprint.optimizer;
    Bytes memory = rest + footprint.parameters * share(3) + footprint.optimizer * share(1) +
                   gradients * share(2);
    if (plan.zero >= 3) {
        memory += 2 * largest;
    }
    return memory;
}

}  // namespace strata
