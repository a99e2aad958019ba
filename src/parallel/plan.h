// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "parallel/collective.h"

#include <array>
#include <compare>
#include <optional>
#include <string_view>

namespace strata {

// What is divided among devices: the batch, each device with all parameters; the batch and, between
// their uses, parameters, gradients and optimizer state (FSDP, ZeRO stage 3); the layers, in stages
// that micro-batches pass through; the channels of each layer; the experts.
enum class Strategy { data, fsdp, pipeline, tensor, expert };
inline constexpr std::array<std::string_view, 5> names_of(Strategy) {
    return {"data", "fsdp", "pipeline", "tensor", "expert"};
}

// Whether gradients are exchanged while the backward pass goes on.
enum class Overlap { off, on };
inline constexpr std::array<std::string_view, 2> names_of(Overlap) {
    return {"off", "on"};
}

// Whether the activations of a unit are kept from the forward to the backward pass or computed
// again.
enum class Activations { kept, recomputed };

// How a training step is divided and how its devices exchange what they need. Devices that share
// each layer are nearest to each other, those that share a batch next, and stages farthest.
struct ParallelPlan {
    Strategy strategy = Strategy::data;
    int devices = 1;
    int tensor = 1;  // that share each layer's channels and heads
    int stages = 1;  // of each pipeline
    Overlap overlap = Overlap::on;
    int gradient_bits = 32;  // of each gradient on its way: 32, 16 or 1
    Bytes bucket{25e6};      // gradients of parameters of so many bytes are exchanged together
    int zero = 0;            // the stage of ZeRO: 1 divides the optimizer's state, 2 gradients too
    int micro_batches = 1;   // of a pipeline; elsewhere, backward passes before an update
    Activations activations = Activations::kept;
    std::optional<CollectiveAlgorithm> algorithm = {};  // nothing: what the links' library uses
    double spread = 0;      // standard deviation of a device's time over its mean
    Seconds overhead = {};  // of a framework for each exchange of all gradients

    auto operator<=>(const ParallelPlan&) const = default;

    // Copies of the network, each with its part of the batch.
    int replicas() const { return devices / (tensor * stages); }
};

}  // namespace strata
