// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"
#include "import/recording.h"
#include "record/run.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// What a recording is laid beside: a network, and the steps that a run of it would have, with
// their work (run/steps.h). Their times do not matter.
struct NetworkSteps {
    Graph graph = {};
    std::vector<StepResult> steps = {};
};

// What the user says of a recording.
struct ImportRequest {
    std::string file = {};     // its name
    std::string network = {};  // what the run is filed under: the network, or the file's stem
    std::int64_t batch = 1;
    std::optional<std::int64_t> iterations = {};
    // Hashes of what the files hold: "recording", and "network" where one was read from a file.
    std::map<std::string, std::string> content = {};
    std::string created = {};  // UTC
};

// What a step was attributed by, for the summary of an import; by place among the run's steps.
struct ImportedRun {
    Run run = {};
    std::vector<std::string> by = {};  // "module path", "operator and shape"
};

// A run with Origin::imported: a step for each layer's pass with a sample for each iteration, or
// with the average of all iterations where it occurs in some only (SeenIn); what is attributed to
// nothing has steps of layers named "unattributed: ...". The iterations' lengths, which a
// profiler's own cost is part of, are the instrumented series; there is no end to end time without
// instruments. A device's spans are the run's trace. `network` may be null. Throws Error where the
// recording has nothing in it.
ImportedRun imported_run(const RecordedProfile& recording, const ImportRequest& request,
                         const NetworkSteps* network);

// The leading extent of the first convolution's or product's operands, which is the batch that was
// recorded; nothing where the tool records no shapes.
std::optional<std::int64_t> recorded_batch(const RecordedProfile& recording);

// Whether the recording has a backward pass or an update.
Mode recorded_mode(const RecordedProfile& recording);

}  // namespace strata
