// SPDX-License-Identifier: MIT
#pragma once

#include "measure/clock.h"
#include "measure/iteration.h"
#include "measure/policy.h"

#include <functional>
#include <optional>

namespace strata {

// The progress of sampling.
struct Progress {
    double fraction = 0;              // of the work, estimated
    std::optional<double> precision;  // worst relative half-width so far; nothing: too few samples
    std::size_t samples = 0;
    Seconds spent;  // earlier attempts included
};

// Callbacks of the sampler. Each may be empty.
struct SamplerHooks {
    std::function<bool()> stop_requested = {};                     // checked between iterations
    std::function<void(const SampledIteration&)> checkpoint = {};  // about once a second
    std::function<void(const Progress&)> progress = {};            // about ten times a second
};

// Above this number of samples of one quantity, every second one is dropped, and from then on only
// every second is kept, so that the kept ones always cover the whole time evenly. This many give
// the median to within one percentile; more would only fill memory and database.
inline constexpr std::size_t max_samples = 16384;

// Samples an iteration until its medians are precise (measure/stopping.h).
//
// After the warm-up it repeats blocks of end-to-end iterations, instrumented iterations and one
// calibration loop, in a random order for each block, so that disturbances of the machine affect
// all three alike. A kind fills about a millisecond of a block: a quick iteration runs several
// times in a row (at most 64), each run a separate sample; a slow one runs once. At least one block
// is sampled, however long it takes. max_time covers the warm-up and the blocks together.
//
// If the iteration is watched, each sample is marked if other programs delayed it; precision is
// that of the undisturbed samples, unless they are too few (measure/statistics.h).
//
// `calibration` does fixed work and returns its time. `earlier` has the samples of an interrupted
// attempt; they are kept, and their time counts towards min_time and max_time. Throws Error if
// `earlier` does not fit the iteration.
SampledIteration sample(Iteration& iteration, const Policy& policy,
                        const std::function<Seconds()>& calibration, Clock& clock,
                        const SamplerHooks& hooks = {}, SampledIteration earlier = {});

}  // namespace strata
