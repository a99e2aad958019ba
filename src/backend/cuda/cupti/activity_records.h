// SPDX-License-Identifier: MIT
#pragma once

#include "trace/trace.h"

#include <cupti.h>

namespace strata::cuda {

// Adds to a trace what one of CUPTI's activity records says: kernels, copies, fills, and the ranges
// that calls were made in. Records of other kinds say nothing that a trace holds. The layout is
// that of CUPTI 13.0; other versions write other layouts, which is why activity_calls.h refuses
// them.
void add_record(const CUpti_Activity& record, Trace& trace);

// Which kind of external range is ours.
inline constexpr auto our_ranges = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

}  // namespace strata::cuda
