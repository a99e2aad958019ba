// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/model.h"

#include <string>

namespace strata {

// What PyTorch's default exporter writes beside each node ("pkg.torch.onnx.name_scopes",
// "...class_hierarchy", "...stack_trace"; 2.5 and later), as names for layers.

// The module that computes the node: "layer1.0.conv1"; for what a module of several operators does
// by itself, the operation behind it: "layer1.0.add". Empty where the file says nothing of it.
std::string module_path_of(const OnnxNode& node);

// The line of the network's own program: "models/resnet.py:93", the innermost one outside PyTorch;
// empty where the file says none.
std::string source_line_of(const OnnxNode& node);

// Whether an exporter has worked a batch normalisation into the weights of this convolution, which
// is right for inference only.
bool holds_folded_normalization(const OnnxNode& node);

}  // namespace strata
