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
    const std::atomic<bool>* stop = nullptr;               // set by the caller
    std::function<void(std::int64_t done)> progress = {};  // points that this call has done
    WorkQueue* work = nullptr;  // replaces the shard's points; they are settled there
};

// Predicts the points of the shard that have no outcome yet and stores each as a run, in the order
// of the grid. Every thread has its own models; the calling thread stores their results, many
// points in one transaction, and makes them wait if it falls behind, so that memory does not grow
// with the sweep. A network that does not fit into a device's memory is out of memory there and has
// no run. Returns `interrupted` after an interrupt, otherwise `done`. Throws Error for a device
// that is unknown or has no model, and if the database cannot store the runs.
ExitCode predict_sweep(const SweepSpec& spec, const Shard& shard, const Database& database,
                       const PredictedSweepOptions& options);

// The time to predict a point on one thread once its layers are known, without storing it: the mean
// over `sample` points that are spread over the grid.
Seconds prediction_time(const SweepSpec& spec, KeptSteps steps, std::int64_t sample);

}  // namespace strata
