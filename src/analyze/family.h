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

// The properties that decide a step's family.
struct StepWork {
    std::string_view layer;
    std::string_view operation;
    std::string_view problem;  // empty: unknown
    Pass pass = Pass::forward;
    StepKind kind = StepKind::compute;
};

// The family of each step, numbered from 0 in order of appearance. A family does the same pass
// of the same problem: equal layers anywhere, including those of repeated blocks. If the
// problem is unknown, a family is layers of one operator whose names differ only in their
// numbers.
std::vector<std::size_t> families_of(std::span<const StepWork> steps);

// Names for several layers of a network at once: "h.0–h.47.attention" are all layers from the first
// to the last whose names differ only in that number.
class LayerNames {
public:
    // All layers of the network, in its order.
    explicit LayerNames(std::vector<std::string> layers);

    // "conv1 and conv3–conv5"; for more than three parts the first two and the number of other
    // layers. Layers not in the network are listed singly.
    std::string text(std::span<const std::string> layers) const;

private:
    // By name without its numbers.
    std::unordered_map<std::string, std::vector<std::string>> layers_;
};

}  // namespace strata
