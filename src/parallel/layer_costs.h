// SPDX-License-Identifier: MIT
#pragma once

#include "parallel/step.h"

namespace strata {

// What a layer costs in one step of one device.
struct LayerCost {
    Seconds forward;
    Seconds backward;  // with the sums of gradients
    Seconds update;
    double values =
        0;  // of its parameters' gradients; shared ones belong to the layer that updates
    Bytes parameters;
};

std::vector<LayerCost> layer_costs(const DeviceWork& work);

// Consecutive layers whose gradients are exchanged together, in backward order: [first, last].
struct Unit {
    LayerId first = 0;
    LayerId last = 0;
    LayerId ready = 0;  // the last in backward order that has parameters
    double values = 0;
    Bytes parameters = {};
};

// Units of at least so many bytes of parameters, from the last layer to the first; the first layers
// may have less. A unit ends with the layer that fills it.
std::vector<Unit> units_of(std::span<const LayerCost> costs, Bytes bucket);

// The memory of one device under data parallelism of any ZeRO stage: the footprint of its batch, a
// buffer for all gradients until they are exchanged, and of what is divided its share; with stage
// 3, two units' whole parameters in addition.
Bytes divided_memory(const DeviceWork& work, std::span<const Unit> units, const ParallelPlan& plan);

}  // namespace strata
