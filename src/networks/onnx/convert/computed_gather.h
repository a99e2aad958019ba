// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/constant.h"
#include "networks/onnx/node_import.h"

#include <cstdint>

namespace strata {

// Gathers whose indices are computed while the network runs become a gather of rows by places,
// which are computed of the indices. Each throws Unsupported where the indices do not fit or are
// too many.

void gather_computed_elements(const NodeImport& node);  // GatherElements
void gather_computed_rows(const NodeImport& node);      // GatherND

// 0, 1, 2 ... n - 1. Throws Unsupported where they are too many.
Constant counting(const NodeImport& node, std::int64_t n);

}  // namespace strata
