// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "record/algorithm.h"
#include "run/convolution_error.h"

#include <array>
#include <span>

namespace strata {

// A layer as a network of its own, with what its passes should give.
class LoneLayer {
public:
    LoneLayer(const Graph& graph, LayerId layer);

    // As the whole network is executed, but with every gradient, and every tensor kept so that it
    // can be examined.
    static Execution execution(Execution of_network);

    const Graph& graph() const { return graph_; }
    const Layer& layer() const { return graph_.layers.front(); }

    // Sets the errors of the results, of which each is a pass of this layer, and whether two runs
    // give the same bits. A layer that is no plain convolution gets neither. Requires: prepared
    // with `execution`; no iteration has run, for an update changes the weights.
    void examine(Executable& executable, std::span<AlgorithmResult> results);

private:
    const ExpectedElements& expected(const Convolution& op, Pass pass, const Executable& from);
    ConvolutionValues values(const Convolution& op, Pass pass, const Executable& from) const;

    Graph graph_;
    std::array<ExpectedElements, all_passes.size()> expected_ = {};
};

}  // namespace strata
