// SPDX-License-Identifier: MIT
#pragma once

#include "record/algorithm.h"

#include <optional>
#include <string>
#include <vector>

namespace strata {

// What one algorithm makes of a layer: all passes together, as often as the network has the layer.
struct LayerUse {
    std::string layer;
    std::optional<Seconds> time = {};      // nothing where a pass has no time
    std::optional<Flops> operations = {};  // of the forward pass; nothing where not known
};

// A network whose convolutions run by one algorithm wherever they can, and by direct elsewhere, as
// Kim et al. (2017, Figs. 7 to 9) compare them.
struct AlgorithmUse {
    std::string algorithm;
    std::vector<LayerUse> layers = {};  // as they come in the comparison
    std::optional<Seconds> time = {};   // of all layers; nothing where one has none
    Bytes memory = {};  // of the network at its peak with the largest workspace of a pass
};

// One for each algorithm that did a pass, in the order of the results, then "fastest": each pass by
// the fastest.
std::vector<AlgorithmUse> uses_of(const AlgorithmComparison& comparison);

}  // namespace strata
