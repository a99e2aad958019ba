// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"
#include "view/compared_sides.h"

namespace strata {

// A backend whose instruments are measured.
struct InstrumentedSide {
    ComparedSide side;
    std::string step_timer;      // "time stamps between the steps"
    std::string profiler = {};   // the framework's own; empty if it has none
    ComparedSide profiled = {};  // the same with its profiler on
};

// What measuring costs on each backend:
//
//   backend  instrument                     without      with         with / without
//   onednn   time stamps between the steps  112 ± 1 ms   113 ± 1 ms   1.004 ± 0.003
//   pytorch  time stamps between the steps  147 ± 1 ms   150 ± 1 ms   1.02 ± 0.01
//   pytorch  torch.profiler                 147 ± 1 ms   191 ± 2 ms   1.30 ± 0.02
Document instrument_cost_document(std::span<const InstrumentedSide> sides);

}  // namespace strata
