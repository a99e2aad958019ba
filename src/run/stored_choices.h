// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "graph/plan.h"
#include "record/tuning.h"
#include "store/tunings.h"

#include <cstddef>
#include <vector>

namespace strata {

// The scope of tunings on this machine with this backend and these settings.
TuningScope tuning_scope(const BackendInfo& backend, const Execution& execution);

// Whether an execution runs a network like the tuner: in the engine's preferred layouts, with fused
// biases. In other executions the gains may differ either way.
bool runs_as_tuned(const Execution& execution);

// The stored choices for a network: for passes of its convolutions and linear layers.
struct StoredChoices {
    std::vector<TunedPass> tuned = {};
    std::size_t passes = 0;  // passes of distinct such layers, tuned or not

    bool is_complete() const { return tuned.size() == passes; }
};
StoredChoices stored_choices(const Plan& plan, const StoredTunings& tunings);

// The execution with the stored choices, and the usual algorithms without one.
Execution with_choices(Execution execution, const StoredChoices& choices);

// "alexnet: 12 of 24 convolution and linear passes are tuned, 5 of them to another algorithm than
// the usual one; --algorithm auto uses no tuning".
std::string sentence_on(const std::string& network, const StoredChoices& choices);

}  // namespace strata
