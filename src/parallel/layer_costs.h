// SPDX-License-Identifier: MIT
#pragma once

#include "parallel/step.h"

namespace strata {

// All-reduces that a layer's devices wait for, each time it is computed.
struct BlockingExchange {
    Bytes bytes;
    Seconds time;
    Seconds exposed;  // beside which the device computes nothing

    BlockingExchange& operator+=(const BlockingExchange& other);
};

// What a layer costs in one step of one device.
struct LayerCost {
    Seconds forward;
    Seconds backward;          // with the sums of gradients
    Seconds backward_weights;  // of that, gradients of parameters
    Seconds update;
    BlockingExchange after_forward;
    BlockingExchange after_backward;
    double values =
        0;  // of its parameters' gradients; shared ones belong to the layer that updates
    Bytes parameters;
};

std::vector<LayerCost> layer_costs(const DeviceWork& work, const Cluster& cluster,
                                   const ParallelPlan& plan);

// Converting so many gradients to fewer bits and back, if that takes no longer than memory.
Seconds encoding_time(const DeviceWork& work, double values, int bits);

// Parameters in the element type of the execution, as they are gathered.
Bytes parameter_bytes(const DeviceWork& work, double values);

// The devices that exchange a replica's gradients.
DeviceGroup replicas_of(const ParallelPlan& plan);

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

// Bytes of activations that layers after this one read of it and those before it.
std::vector<Bytes> bytes_after(const DeviceWork& work);

// What each layer's results keep in memory until the backward pass.
std::vector<Bytes> kept_by_layer(const DeviceWork& work);

// The memory of one device under data parallelism of any ZeRO stage: the footprint of its batch, a
// buffer for all gradients until they are exchanged, and of what is divided its share; with stage
// 3, two units' whole parameters in addition. If activations are recomputed, those between units
// and all of one unit remain.
DeviceMemory divided_memory(const DeviceWork& work, std::span<const Unit> units,
                            const ParallelPlan& plan);

}  // namespace strata
