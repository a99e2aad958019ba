// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"
#include "view/steps.h"

namespace strata {

// The layers inside steps that do several at once, and what each would be of the step's time:
//
//   step           layer  operator     time [ms]  share [%]
//   conv1 forward  conv1  convolution        3.4         81
//                  relu1  relu              0.79         19
//
// All derived; analyze/fused_shares.h says by which rule. Without rows if nothing is fused, or if
// the run has no ceilings.
Table fused_table(const RunFindings& findings);

}  // namespace strata
