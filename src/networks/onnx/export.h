// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <filesystem>
#include <functional>
#include <span>

namespace strata {

// Fills in the initial values of a run for a tensor without data.
using InitialValues = std::function<void(TensorId tensor, std::span<float> values)>;

// How a layer of several nodes is written: as a function call, which is the same layer when
// imported again; or as its nodes, for a runtime without functions (OpenVINO).
enum class OnnxBodies { functions, nodes };

// Writes a network as an ONNX model (opset 22, IR version 10). A layer that one node can express
// becomes that node. Any other becomes a call of a model-local function in the domain "strata",
// whose attribute `layer` is the operator as text. Both become the same layer when imported again,
// and any runtime can execute both. Weights that do not fit in one file go to FILE.data next to it.
// Throws Error if a layer cannot be expressed or the file cannot be written.
void export_onnx(const Graph& graph, const std::filesystem::path& file, const InitialValues& values,
                 OnnxBodies bodies = OnnxBodies::functions);

}  // namespace strata
