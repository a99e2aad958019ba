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

// One for each --vary NAME=RANGE; without any, one for a --batch that is a range. Throws Error with
// exit code usage where one number is given twice.
std::vector<Variation> variations_of(const NetworkOptions& options);

// Every combination of the variations' values; the first variation is the outermost loop.
std::vector<std::vector<std::int64_t>> combinations_of(const std::vector<Variation>& variations);

// The request with one value of each variation.
NetworkRequest with_values(NetworkRequest request, const std::vector<Variation>& variations,
                           const std::vector<std::int64_t>& values);

// The jobs of one sweep: the same, at each of the combinations.
std::vector<Job> varied(const Job& job, const std::vector<Variation>& variations);

// The largest batch of this job whose footprint fits in its memory limit, else in the device's
// memory, else in free memory. Nothing where none of these is known, or the network's batch cannot
// change.
std::optional<Capacity> capacity_of(const Job& job, const BackendInfo& backend);

}  // namespace strata
