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

// A network to match a recording with, and the steps of a run of it with their work (run/steps.h).
// The steps' times do not matter.
struct NetworkSteps {
    Graph graph = {};
    std::vector<StepResult> steps = {};
};

// The user's description of a recording.
struct ImportRequest {
    std::string file = {};     // its name
    std::string network = {};  // the run's network: the given one, or the file's stem
    std::int64_t batch = 1;
    std::optional<std::int64_t> iterations = {};
    // Hashes of the files' contents: "recording", and "network" if one was read from a file.
    std::map<std::string, std::string> content = {};
    std::string created = {};  // UTC
};

// The evidence for a step's attribution, for the summary of an import; by step index of the run.
struct ImportedRun {
    Run run = {};
    std::vector<std::string> by = {};  // "module path", "operator and shape"
};

// A run with Origin::imported: a step for each layer's pass with a sample for each iteration, or
// with the average of all iterations if it occurs only in some (SeenIn); unattributed operators
// have steps of layers named "unattributed: ...". The iterations' lengths, which include the
// profiler's own cost, are the instrumented series; there is no uninstrumented end to end time. A
// device's spans are the run's trace. `network` may be null. Throws Error if the recording is
// empty.
ImportedRun imported_run(const RecordedProfile& recording, const ImportRequest& request,
                         const NetworkSteps* network);

// The leading extent of the first convolution's or product's operands, which is the recorded batch;
// nothing if the tool records no shapes.
std::optional<std::int64_t> recorded_batch(const RecordedProfile& recording);

// Whether the recording has a backward pass or an update.
Mode recorded_mode(const RecordedProfile& recording);

}  // namespace strata
