// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <string>

namespace strata::testing {

// An execution as tests want it: two threads, nothing bound, memory kept.
Execution kept_execution(Mode mode = Mode::training, DataType dtype = DataType::f32);

// Prepares the graph with the oneDNN backend, runs it step by step beside the reference and fails
// the test for each step that disagrees. Returns the refusals, one a line: "layer pass: reason".
std::string verify_graph(const Graph& graph, const Execution& execution);

// A network of one operator, given as `problem` text (op/problem.h).
Graph graph_of_problem(const std::string& problem);

// The same behind and before 1x1 convolutions of as many channels, so that the operator meets the
// layouts that convolutions like. Requires: a first operand of four axes, and as many in the
// result.
Graph graph_between_convolutions(const std::string& problem);

}  // namespace strata::testing
