// SPDX-License-Identifier: MIT
#pragma once

#include "record/algorithm.h"

#include <optional>
#include <string>
#include <vector>

namespace strata {

// A layer under one algorithm: all passes together, as often as the network has the layer.
struct LayerUse {
    std::string layer;
    std::optional<Seconds> time = {};      // nothing if a pass has no time
    std::optional<Flops> operations = {};  // of the forward pass; nothing if unknown
};

// A network whose convolutions run by one algorithm if they can and by direct otherwise, as
// compared by Kim et al. (2017, Figs. 7 to 9).
struct AlgorithmUse {
    std::string algorithm;
    std::vector<LayerUse> layers = {};  // in the comparison's order
    std::optional<Seconds> time = {};   // of all layers; nothing if one has none
    Bytes memory = {};                  // the network's peak with the largest workspace of a pass
};

// One for each algorithm that ran a pass, in the order of the results, then "fastest": each pass by
// its fastest.
std::vector<AlgorithmUse> uses_of(const AlgorithmComparison& comparison);

}  // namespace strata
