// SPDX-License-Identifier: MIT
#pragma once

#include "parallel/step.h"
#include "scale/shared_training.h"

#include <vector>

namespace strata {

// What all ranks measured in the same iterations, by rank and iteration. The buckets' times count
// from a moment that all ranks have in common.
using IterationsByRank = std::vector<std::vector<IterationTimes>>;

// The iteration of median time, of the slowest rank; its parts are means over the ranks. While a
// rank waits for a bucket, it first waits for the last rank to begin the exchange, then for the
// exchange itself, which is exposed. Copying gradients counts as encoding. Requires: as many
// iterations of each rank, at least one.
ParallelStep merged_step(const IterationsByRank& ranks,
                         const std::vector<std::vector<SharedTraining::BucketLayer>>& buckets);

// An iteration as plain numbers, as ranks exchange them, and back.
std::vector<double> numbers_of(const IterationTimes& times);
IterationTimes iteration_of(std::span<const double> numbers, std::size_t layers);

}  // namespace strata
