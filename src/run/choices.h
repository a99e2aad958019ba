// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"

#include <vector>

namespace strata {

// What a command may ask several values of; an empty list leaves what the common execution has.
struct Choices {
    std::vector<DataType> dtypes = {};
    std::vector<ConvolutionAlgorithm> algorithms = {};
    std::vector<ImageLayout> layouts = {};
    std::vector<Fusion> fusions = {};
    std::vector<L1Caching> l1 = {};
    std::vector<int> threads = {};
};

// Every combination, the first list outermost.
std::vector<Execution> executions_of(const Execution& common, const Choices& choices);

}  // namespace strata
