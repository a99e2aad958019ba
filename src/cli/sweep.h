// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "cli/options.h"
#include "run/job.h"
#include "view/sweep.h"

#include <optional>
#include <vector>

namespace strata {

// A number that a command varies.
struct Variation {
    std::string name;  // "batch", "hidden"
    std::vector<std::int64_t> values;
};

// Of --vary NAME=RANGE, or of a --batch that is a range. Throws Error with exit code usage where
// both give the batch.
std::optional<Variation> variation_of(const NetworkOptions& options);

// The jobs of one sweep: the same, at each of the values.
std::vector<Job> varied(const Job& job, const Variation& variation);

// The largest batch of this job, by its footprint, that the memory given to it holds, else the
// device's, else what is free; nothing where nobody tells, or the network has no batch of one.
std::optional<Capacity> capacity_of(const Job& job, const BackendInfo& backend);

}  // namespace strata
