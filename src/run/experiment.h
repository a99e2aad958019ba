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
// Error with exit code usage if there are too many.
std::vector<std::vector<std::int64_t>> combinations_of(const std::vector<Variation>& variations);

// The request with one value of each variation.
NetworkRequest with_values(NetworkRequest request, const std::vector<Variation>& variations,
                           const std::vector<std::int64_t>& values);

// The request of one command.
struct ExperimentRequest {
    Job common;  // what all jobs share
    std::vector<std::string> networks;
    std::vector<std::int64_t> batches = {};  // empty: each network's own
    // All combinations of the options' values. Empty: only the common
    // settings.
    std::vector<Settings> settings = {};
    std::vector<Variation> variations = {};
};

// Jobs whose runs are shown together: one job, or those of a sweep.
using Group = std::vector<Job>;

// The jobs of one command, in order: a group for each network, batch and settings, with the
// settings varying fastest. Every job is planned.
struct Experiment {
    std::vector<Group> groups;
    std::vector<Settings> settings;     // of consecutive groups of one network and batch
    std::vector<Variation> variations;  // within each group; empty: a group is one job
};

// Several batches of an inference are a sweep over the batch; those of training are separate runs.
// Throws Error if a job's network or a file that it needs cannot be read.
Experiment experiment_of(const ExperimentRequest& request);

std::size_t count_jobs(const Experiment& experiment);

// Everything that decides the results, one line per job: equal texts are the same experiment.
std::string identity_of(const Experiment& experiment);

}  // namespace strata
