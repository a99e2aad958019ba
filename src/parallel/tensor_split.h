// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// The axis of a tensor that devices divide; nothing: each has all of it.
using SplitAxis = std::optional<std::size_t>;

// How a layer is divided.
struct LayerSplit {
    std::vector<SplitAxis> inputs;
    SplitAxis outputs = {};
    bool is_partial = false;  // each device has a summand of the results
    bool opens = false;       // each device has a summand of the first input's gradient

    bool is_whole() const;
};

// A layer that may be divided, with the axes at which the layers before it left its activations.
struct SplitQuestion {
    const Op& op;
    const Signature& signature;
    std::span<const SplitAxis> inputs;
    std::int64_t devices = 2;
    bool may_open = true;   // from whole activations
    bool may_round = true;  // its channels up to a multiple of the devices
};

// Column or row (Shoeybi et al. 2019, section 3): a product of whole activations divides its
// channels; one of divided activations sums over its part of them, and so do tables of whole
// indices; attention divides its heads, and layers between follow channel by channel. Parameters
// and constants are divided as that needs. Nothing if the layer can only work with whole
// activations.
std::optional<LayerSplit> split_of(const SplitQuestion& question);

// An all-reduce that a split needs, after a layer's pass: of its results forward, of the gradient
// of its first input backward, and of the statistics of a loss over divided classes.
struct SplitExchange {
    LayerId layer = 0;
    Pass pass = Pass::forward;
    Tensor tensor;
    int times = 1;
    std::vector<LayerId> openers = {};  // backward: whose sums it is; their gradients of weights
                                        // don't wait for it
};

// A network as each of several devices computes it, together with the others.
struct TensorSplit {
    Graph graph;  // the same layers with one device's part of their channels
    std::vector<SplitExchange> exchanges;
    std::vector<LayerId> split;  // layers with products that are divided
    std::vector<LayerId> whole;  // layers with products that every device computes
    std::string refusal = {};    // why it cannot be divided; empty: it can
};

// Divides as many layers as follow from each other without gathering activations. Requires: at
// least two devices. A network is refused if its attention has heads that devices cannot share, or
// if none of its layers can be divided.
TensorSplit tensor_split(const Graph& graph, int devices);

}  // namespace strata
