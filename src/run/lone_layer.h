// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "op/convolution.h"
#include "op/window.h"
#include "record/algorithm.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace strata {

// A convolution with all values that its passes read: x[N, C, spatial], weight[K, C / groups,
// kernel], the bias[K] or nothing, and the gradient of y[N, K, spatial].
struct ConvolutionValues {
    Window window;
    std::int64_t groups = 1;
    Dims x_dims;
    Dims weight_dims;
    Dims y_dims;
    HostValues x = {};
    HostValues weight = {};
    HostValues bias = {};
    HostValues y_gradient = {};
};

// Some elements of a pass's result, each summed term by term in double precision.
struct ExpectedElements {
    std::vector<std::size_t> places = {};  // in the dense result, ascending
    std::vector<double> values = {};
};

// As many elements as cost at most `max_terms` multiply-adds, but at least 512 (or all), drawn from
// the whole result with a fixed seed, one from each of equally many equal sections. Requires: one
// to three spatial axes; a pass other than update.
ExpectedElements expected_elements(const ConvolutionValues& values, Pass pass,
                                   double max_terms = 1e8);

// The error of a dense result of that pass against them. Requires: as many elements as it was drawn
// from.
AlgorithmError error_of(const ExpectedElements& expected, std::span<const float> result);

// A layer as a separate network, with the expected results of its passes.
class LoneLayer {
public:
    // `max_terms`: as for expected_elements.
    LoneLayer(const Graph& graph, LayerId layer, double max_terms = 1e8);

    // Like the whole network's execution, but with every gradient, and every tensor kept for
    // inspection.
    static Execution execution(Execution of_network);

    const Graph& graph() const { return graph_; }
    const Layer& layer() const { return graph_.layers.front(); }

    // Sets the errors of the results, each a pass of this layer, and whether two runs give the same
    // bits. A layer other than a plain convolution gets neither. Requires: prepared with
    // `execution`; no iteration has run, because an update changes the weights.
    void examine(Executable& executable, std::span<AlgorithmResult> results);

    // Only the errors, from one iteration.
    void examine_errors(Executable& executable, std::span<AlgorithmResult> results);

private:
    std::vector<HostValues> results_with_errors(const Convolution& op, Executable& executable,
                                                std::span<AlgorithmResult> results);
    const ExpectedElements& expected(const Convolution& op, Pass pass, const Executable& from);
    ConvolutionValues values(const Convolution& op, Pass pass, const Executable& from) const;

    Graph graph_;
    double max_terms_;
    std::array<ExpectedElements, all_passes.size()> expected_ = {};
};

}  // namespace strata
