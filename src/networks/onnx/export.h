// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <filesystem>
#include <functional>
#include <span>

namespace strata {

// Fills in the values of a tensor that carries none: those that a run would begin with.
using InitialValues = std::function<void(TensorId tensor, std::span<float> values)>;

// Writes a network as an ONNX model (opset 22, IR version 10). A layer that one node expresses is
// that node; another is a call of a function of the model, in the domain "strata", whose attribute
// `layer` is the operator as text: both give the same layer when imported again, and any runtime
// can execute both. Weights beyond what one file may hold go to FILE.data beside it. Throws Error
// where a layer cannot be expressed or the file cannot be written.
void export_onnx(const Graph& graph, const std::filesystem::path& file,
                 const InitialValues& values);

}  // namespace strata
