// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "measure/policy.h"
#include "metric/catalogue.h"
#include "networks/network.h"
#include "record/run.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace strata {

// Whether every step is compared with the reference before it is timed.
enum class Verification { omitted, done };

// Whether the kernels of some iterations are recorded after the run was timed.
enum class Tracing { omitted, done };

// Tensors to leave as files after one run on the given inputs.
struct Dump {
    std::filesystem::path directory;
    std::string layers;  // glob; empty: the network's outputs only
};

// Images that each step of a network is fed with, beside what it is measured with otherwise.
struct InfeedRequest {
    std::filesystem::path folder;  // of .jpg files; empty: synthetic images
    int threads = 1;               // that decode and augment them
};

// Whether to measure a network even if most of its layers cannot run.
enum class Remainder { refused, measured };

// One network measured once on one backend: what a command runs for each combination requested.
struct Job {
    std::string backend;  // "onednn", "modelled:v100"
    NetworkRequest request;
    std::string slice;  // glob of the layers that are run alone; empty: the whole network
    Execution execution;
    Policy policy;
    Verification verification = Verification::omitted;
    Tracing tracing = Tracing::omitted;
    Remainder remainder = Remainder::refused;
    std::vector<MetricSet> counters = {};  // that are counted of each step; empty: none
    std::map<std::string, std::filesystem::path> inputs;  // tensor name -> .npy
    // Hashes of what the files hold that decide the result: "network", "input NAME".
    std::map<std::string, std::string> content = {};
    std::map<std::string, std::string> device_changes = {};  // Settings::device_changes
    std::optional<Dump> dump;
    std::optional<InfeedRequest> infeed;
    std::optional<Bytes> memory;  // that the run may need at most; absent: what the machine has
};

// Threads that an execution really uses: its own number, or one for each processor that this
// process may use.
int thread_count(const Execution& execution);

// The settings under which a run of this job is stored.
Settings settings_of(const Job& job, std::int64_t batch, int threads);

// The job that measures such a run again. Of inputs from files a run knows only the names: throws
// Error if it had any.
Job job_of(const Run& run);

// The hashes of the files that the job's network and inputs are read from. Throws Error where one
// cannot be read.
std::map<std::string, std::string> content_of(const Job& job);

// All that decides a job's result, as one line: equal lines are the same experiment, so an
// interrupted one can be continued. Of a file it is what the file holds (job.content), not its
// name.
std::string identity_of(const Job& job);

}  // namespace strata
