// SPDX-License-Identifier: MIT
#pragma once

#include "graph/onnx/node_import.h"

namespace strata {

// Extents and axes that reshape-like nodes ask for; the converters and the folding share them. Each
// throws Unsupported where the node states them at run time, Error where they do not fit.

Dims reshape_target(const NodeImport& node);  // resolved: no 0, no -1
Dims flatten_target(const NodeImport& node);
Dims squeeze_target(const NodeImport& node);
Dims unsqueeze_target(const NodeImport& node);
Dims transpose_permutation(const NodeImport& node);

// An axis counted from the front. Throws Error where there is none such.
std::size_t axis_of(std::int64_t axis, std::size_t rank);

}  // namespace strata
