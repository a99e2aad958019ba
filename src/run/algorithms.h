// SPDX-License-Identifier: MIT
#pragma once

#include "backend/algorithms.h"
#include "backend/backend.h"
#include "measure/policy.h"
#include "record/algorithm.h"

#include <functional>

namespace strata {

// Told what is measured next, and how far all is (0..1).
using AlgorithmProgress = std::function<void(const std::string& what, double fraction)>;

// The algorithms that a source offers for the graph's convolutions.
AlgorithmComparison offered_algorithms(const Graph& graph, const Execution& execution,
                                       AlgorithmSource& source);

// The algorithms that an execution can ask for (direct, winograd), measured: each different
// convolution alone, as a network of one layer. An algorithm that a convolution does not have is
// left out.
AlgorithmComparison measured_algorithms(const Graph& graph, const Execution& execution,
                                        Backend& backend, const Policy& policy,
                                        const AlgorithmProgress& progress);

// The convolutions of a graph that differ, each by the first layer that has it, and how many do.
struct DistinctLayer {
    LayerId layer = 0;
    std::string problem;
    int layers = 1;
};
std::vector<DistinctLayer> distinct_convolutions(const Graph& graph);

}  // namespace strata
