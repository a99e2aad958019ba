// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <string>

namespace strata::testing {

// The execution that tests use: two threads, nothing bound, memory kept.
Execution kept_execution(Mode mode = Mode::training, DataType dtype = DataType::f32);

// Prepares the graph with the backend, runs it step by step alongside the reference, and fails the
// test for each step that disagrees. Returns the refusals, one per line: "layer pass: reason".
std::string verify_graph(Backend& backend, const Graph& graph, const Execution& execution);

// The same without the refusals of the pass for the weights in a normalisation's combined backward
// step.
std::string without_combined(const std::string& refusals);

// Verifies the graph in the same way, and returns the layers whose forward pass another layer's
// step does: "relu by conv", one per line.
std::string verified_inclusions(Backend& backend, const Graph& graph, const Execution& execution);

}  // namespace strata::testing
