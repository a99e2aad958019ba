// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <string>

namespace strata::testing {

// An execution as tests want it: two threads, nothing bound, memory kept.
Execution kept_execution(Mode mode = Mode::training, DataType dtype = DataType::f32);

// Prepares the graph with the backend, runs it step by step beside the reference and fails the test
// for each step that disagrees. Returns the refusals, one a line: "layer pass: reason".
std::string verify_graph(Backend& backend, const Graph& graph, const Execution& execution);

// The same without what the combined backward step of a normalisation says of the weights' pass.
std::string without_combined(const std::string& refusals);

}  // namespace strata::testing
