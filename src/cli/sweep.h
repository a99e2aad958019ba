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

// Of each --vary NAME=RANGE, or of a --batch that is a range where there is none. Throws Error with
// exit code usage where one number is given twice.
std::vector<Variation> variations_of(const NetworkOptions& options);

// Every combination of the variations' values, one of each, the first variation outermost.
std::vector<std::vector<std::int64_t>> combinations_of(const std::vector<Variation>& variations);

// The request with one value of each variation.
NetworkRequest with_values(NetworkRequest request, const std::vector<Variation>& variations,
                           const std::vector<std::int64_t>& values);

// The jobs of one sweep: the same, at each of the combinations.
std::vector<Job> varied(const Job& job, const std::vector<Variation>& variations);

// The largest batch of this job, by its footprint, that the memory given to it holds, else the
// device's, else what is free; nothing where nobody tells, or the network has no batch of one.
std::optional<Capacity> capacity_of(const Job& job, const BackendInfo& backend);

}  // namespace strata
