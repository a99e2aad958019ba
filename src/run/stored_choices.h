// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "record/tuning.h"
#include "store/tunings.h"

#include <cstddef>
#include <vector>

namespace strata {

// What tunings on this machine with this backend and these settings are valid for.
TuningScope tuning_scope(const BackendInfo& backend, const Execution& execution);

// Whether an execution runs a network as the tuner does: in the layouts that the engine prefers,
// with fused biases. What gains nothing there may gain elsewhere, and the other way round.
bool runs_as_tuned(const Execution& execution);

// What is stored for a network: the choices for passes of its convolutions and linear layers.
struct StoredChoices {
    std::vector<TunedPass> tuned = {};
    std::size_t passes = 0;  // of different such layers, tuned or not

    bool is_complete() const { return tuned.size() == passes; }
};
StoredChoices stored_choices(const Graph& graph, const Execution& execution,
                             const StoredTunings& tunings);

// The execution as it was tuned: by the choices found, and as usual where there are none.
Execution with_choices(Execution execution, const StoredChoices& choices);

// "alexnet: 12 of 24 convolution and linear passes are tuned, 5 of them to another algorithm than
// the usual one; --algorithm direct takes no tuning".
std::string sentence_on(const std::string& network, const StoredChoices& choices);

}  // namespace strata
