// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/constant.h"
#include "networks/onnx/node_import.h"

#include <cstdint>

namespace strata {

// A gather whose indices are computed at run time becomes a gather of rows by positions, which are
// computed from the indices. Each throws Unsupported if the indices do not fit or are too many.

void gather_computed_elements(const NodeImport& node);  // GatherElements
void gather_computed_rows(const NodeImport& node);      // GatherND

// 0, 1, 2 ... n - 1. Throws Unsupported if n is too large.
Constant counting(const NodeImport& node, std::int64_t n);

}  // namespace strata
