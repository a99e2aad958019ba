// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "base/quantity.h"
#include "store/database.h"
#include "sweep/point_predictor.h"
#include "sweep/work_queue.h"

#include <atomic>
#include <cstdint>
#include <functional>

namespace strata {

struct PredictedSweepOptions {
    int threads = 1;
    KeptSteps steps = KeptSteps::all;
    const std::atomic<bool>* stop = nullptr;               // raised from outside
    std::function<void(std::int64_t done)> progress = {};  // points of this call so far
    WorkQueue* work = nullptr;  // which points, instead of the shard's; they are settled there
};

// Predicts the points of the shard that have no outcome yet and stores each as a run, in the order
// of the grid. Every thread has models of its own; this thread stores what they give, many points
// in one transaction, and makes them wait where it falls behind, so that memory does not grow with
// the sweep. A network that would not fit into a device's memory is out of memory there and has no
// run. Returns `interrupted` after an interrupt, otherwise `done`. Throws Error for a device that
// is not known or has no model, and where the database cannot take the runs.
ExitCode predict_sweep(const SweepSpec& spec, const Shard& shard, const Database& database,
                       const PredictedSweepOptions& options);

// How long predicting a point takes on one thread, storing not included: of as many points, spread
// over the grid.
Seconds prediction_time(const SweepSpec& spec, std::int64_t sample);

}  // namespace strata
