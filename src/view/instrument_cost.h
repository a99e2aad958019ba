// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"
#include "view/compared_sides.h"

namespace strata {

// What measuring costs on each backend:
//
//   backend  instrument                     without      with         with / without
//   onednn   time stamps between the steps  112 ± 1 ms   113 ± 1 ms   1.004 ± 0.003
//   pytorch  …
//
// Requires: a side.
Document instrument_cost_document(std::span<const ComparedSide> sides);

}  // namespace strata
