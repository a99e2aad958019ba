// SPDX-License-Identifier: MIT
#pragma once

#include "graph/schedule.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace strata {

// What decides to which family a step belongs.
struct StepWork {
    std::string_view layer;
    std::string_view operation;
    std::string_view problem;  // empty: not known
    Pass pass = Pass::forward;
    StepKind kind = StepKind::compute;
};

// The family of each step, counted from 0 in the order in which families appear. A family does the
// same pass of the same problem: equal layers, wherever they are, and with them the layers of
// repeated blocks. Where the problem is not known, it is layers of one operator whose names differ
// only in their numbers.
std::vector<std::size_t> families_of(std::span<const StepWork> steps);

// Names for several layers of a network at once: "h.0–h.47.attention" are all layers from the first
// to the last whose names differ only in that number.
class LayerNames {
public:
    // All layers of the network, in its order.
    explicit LayerNames(std::vector<std::string> layers);

    // "conv1 and conv3–conv5"; of more than three parts the first two and how many other layers
    // there are. Layers that the network does not have stand for themselves.
    std::string text(std::span<const std::string> layers) const;

private:
    // By what they are without their numbers.
    std::unordered_map<std::string, std::vector<std::string>> layers_;
};

}  // namespace strata
