// SPDX-License-Identifier: MIT
#pragma once

#include "device/device.h"
#include "graph/graph.h"
#include "record/run.h"

#include <string_view>

namespace strata::testing {

// A device with round numbers: 200 GFLOP/s in f32, 20 GB/s of main memory, two caches.
Device scripted_device();

// A run as a backend could have measured it, but never timed, and bit-identical everywhere: each
// step takes what the scripted device allows at some efficiency of its operator, with a jitter
// derived from its name. The times mean nothing; shapes, work and problems are the graph's own.
Run scripted_run(const Graph& graph);

// The same for a network of the zoo, with a reorder, a skipped and a failed step, and a flag.
Run scripted_run_with_holes(std::string_view network, std::int64_t batch);

// A zoo network by name.
Graph zoo_graph(std::string_view network, std::int64_t batch);

// A step with one time, and a run of such steps, for tests of one rule.
StepResult scripted_step(std::string layer, Pass pass, std::vector<Seconds> times);
Run run_of(std::vector<StepResult> steps);

}  // namespace strata::testing
