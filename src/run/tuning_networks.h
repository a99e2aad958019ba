// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "measure/measurement.h"
#include "record/tuning.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace strata {

// A whole network prepared with a choice of algorithms.
class TuningNetwork {
public:
    TuningNetwork(const Graph& graph, const Execution& execution, Backend& backend);

    Executable& executable() { return *executable_; }

    // In the order in which the network computes them.
    const std::vector<TunablePass>& passes() const { return passes_; }

    // The step that computes the pass in the first layer that has it; null: none.
    const Step* step_of(const ProblemPass& key) const;

    // The cost of a pass in each round, averaged over the problem's layers: the step itself, the
    // reorders and sums that it needs, including the update's, and the layers that might be fused
    // with it.
    std::vector<Seconds> cost_of(const ProblemPass& key, const std::vector<Samples>& steps) const;

private:
    bool is_part_of(const ProblemPass& key, const Step& step) const;

    std::unique_ptr<Executable> executable_;
    std::map<LayerId, std::string> problems_;  // of layers whose algorithms can be chosen
    std::map<LayerId, std::string> followed_;  // of the layer that it might be fused with
    std::vector<TunablePass> passes_;
};

}  // namespace strata
