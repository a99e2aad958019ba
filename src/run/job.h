// SPDX-License-Identifier: MIT
#pragma once

#include "graph/plan.h"
#include "measure/policy.h"
#include "metric/catalogue.h"
#include "networks/network.h"
#include "record/run.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace strata {

// Whether every step is compared with the reference before it is timed.
enum class Verification { omitted, done };

// Whether the kernels of some iterations are recorded after timing.
enum class Tracing { omitted, done };

// Tensors to write to files after one run on the given inputs.
struct Dump {
    std::filesystem::path directory;
    std::string layers;  // glob; empty: only the network's outputs
};

// Images to feed each step of a network with, in addition to the normal measurement.
struct InfeedRequest {
    std::filesystem::path folder;  // of .jpg files; empty: synthetic images
    int threads = 1;               // threads that decode and augment
};

// Whether to measure a network even if most of its layers cannot run.
enum class Remainder { refused, measured };

// One network measured once on one backend: what a command runs for each combination requested.
struct Job {
    std::string backend;  // "onednn", "modelled:v100"
    NetworkRequest request;
    std::string slice;  // glob of the layers to run alone; empty: the whole network
    Execution execution;
    Policy policy;
    Verification verification = Verification::omitted;
    Tracing tracing = Tracing::omitted;
    Remainder remainder = Remainder::refused;
    std::vector<MetricSet> counters = {};                 // counted for each step; empty: none
    std::map<std::string, std::filesystem::path> inputs;  // tensor name -> .npy
    // Hashes of the contents of files that decide the result: "network", "input NAME".
    std::map<std::string, std::string> content = {};
    std::map<std::string, std::string> device_changes = {};  // Settings::device_changes
    std::optional<Dump> dump;
    std::optional<InfeedRequest> infeed;
    std::optional<Bytes> memory;  // limit for the run; absent: the machine's memory
    // Of its network and numerics. Null until `planned`; whatever runs the job requires it.
    std::shared_ptr<const Plan> plan = {};
};

// The job with its plan: its network loaded, without its loss for inference, cut to the slice.
// Throws Error if it cannot be loaded.
Job planned(Job job);

// The threads that an execution actually uses: its own number, or one for each processor that this
// process may use.
int thread_count(const Execution& execution);

// The settings under which a run of this job is stored.
Settings settings_of(const Job& job, std::int64_t batch, int threads);
// The same of a planned job.
Settings settings_of(const Job& job);

// The job that measures such a run again. A run has only the names of input files: throws Error if
// it had any.
Job job_of(const Run& run);

// The words with which `strata run` measures this job, whatever variables are set; the network
// comes last, after "--".
std::vector<std::string> to_arguments(const Job& job);

// The hashes of the files that the job's network and inputs are read from. Throws Error if one
// cannot be read.
std::map<std::string, std::string> content_of(const Job& job);

// Everything that decides a job's result, as one line: equal lines are the same experiment, so an
// interrupted one can be continued. Files are identified by their content (job.content), not their
// names.
std::string identity_of(const Job& job);

}  // namespace strata
