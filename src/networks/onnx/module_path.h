// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/model.h"

#include <string>

namespace strata {

// Layer names from the metadata that PyTorch's default exporter writes with each node
// ("pkg.torch.onnx.name_scopes", "...class_hierarchy", "...stack_trace"; 2.5 and later).

// The module that computes the node: "layer1.0.conv1". For an operation that a module of several
// operators performs itself, the operation is appended: "layer1.0.add". Empty if the file does not
// say.
std::string module_path_of(const OnnxNode& node);

// The innermost line of the program outside PyTorch: "models/resnet.py:93"; empty if the file does
// not say.
std::string source_line_of(const OnnxNode& node);

// Whether an exporter has folded a batch normalisation into this convolution's weights, which is
// valid only for inference.
bool holds_folded_normalization(const OnnxNode& node);

}  // namespace strata
