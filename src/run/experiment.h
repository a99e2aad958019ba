// SPDX-License-Identifier: MIT
#pragma once

#include "run/job.h"

#include <cstdint>
#include <string>
#include <vector>

namespace strata {

// A number that a command varies.
struct Variation {
    std::string name;  // "batch", "hidden"
    std::vector<std::int64_t> values;
};

// Whether the batch is among them.
bool varies_batch(const std::vector<Variation>& variations);

// Every combination of the variations' values; the first variation is the outermost loop. Throws
// Error with exit code usage where there are too many.
std::vector<std::vector<std::int64_t>> combinations_of(const std::vector<Variation>& variations);

// The request with one value of each variation.
NetworkRequest with_values(NetworkRequest request, const std::vector<Variation>& variations,
                           const std::vector<std::int64_t>& values);

// The request of one command.
struct ExperimentRequest {
    Job common;  // what all jobs share
    std::vector<std::string> networks;
    std::vector<std::int64_t> batches = {};  // empty: each network's own
    // All that the options say; several where one of them has several values. Empty: what is
    // common.
    std::vector<Settings> settings = {};
    std::vector<Variation> variations = {};
};

// Jobs whose runs are shown together: one job, or those of a sweep.
using Group = std::vector<Job>;

// What one command measures, in order: a group for each network, batch and settings, of which the
// settings change fastest.
struct Experiment {
    std::vector<Group> groups;
    std::vector<Settings> settings;     // of consecutive groups of one network and batch
    std::vector<Variation> variations;  // within each group; empty: a group is one job
};

// Several batches of an inference are a sweep over the batch; those of training are separate runs.
// Throws Error where a file that a job reads cannot be read.
Experiment experiment_of(const ExperimentRequest& request);

std::size_t count_jobs(const Experiment& experiment);

// All that decides the results, a line for each job: the same text is the same experiment.
std::string identity_of(const Experiment& experiment);

}  // namespace strata
