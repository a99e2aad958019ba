// SPDX-License-Identifier: MIT
#pragma once

#include "backend/algorithms.h"
#include "backend/backend.h"
#include "measure/policy.h"
#include "record/algorithm.h"

#include <functional>

namespace strata {

// Receives the next measurement's name and the overall progress (0..1).
using AlgorithmProgress = std::function<void(const std::string& what, double fraction)>;

// The algorithms that a source offers for the graph's convolutions.
AlgorithmComparison offered_algorithms(const Graph& graph, const Execution& execution,
                                       AlgorithmSource& source);

// Measures the algorithms that an execution can request (direct, winograd): each different
// convolution alone, as a network of one layer. Algorithms that a convolution does not have are
// left out.
AlgorithmComparison measured_algorithms(const Graph& graph, const Execution& execution,
                                        Backend& backend, const Policy& policy,
                                        const AlgorithmProgress& progress);

// The distinct convolutions of a graph, each as its first layer and the number of layers that have
// it.
struct DistinctLayer {
    LayerId layer = 0;
    std::string problem;
    int layers = 1;
};
std::vector<DistinctLayer> distinct_convolutions(const Graph& graph);

}  // namespace strata
