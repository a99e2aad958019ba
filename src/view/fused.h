// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"
#include "view/steps.h"

namespace strata {

// The layers inside fused steps, and the share of the step's time that each would take:
//
//   step           layer  operator     time [ms]  share [%]
//   conv1 forward  conv1  convolution        3.4         81
//                  relu1  relu              0.79         19
//
// All derived by the rule in analyze/fused_shares.h. It has no rows if nothing is fused or the run
// has no ceilings.
Table fused_table(const RunFindings& findings);

}  // namespace strata
