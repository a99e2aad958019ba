// SPDX-License-Identifier: MIT
#pragma once

#include "trace/trace.h"

#include <cupti.h>

namespace strata::cuda {

// Adds the content of one of CUPTI's activity records to a trace: kernels, copies, fills, and the
// ranges that calls were made in. Other kinds of records are ignored. The layout is that of CUPTI
// 13.0; activity_calls.h refuses other versions because theirs differ.
void add_record(const CUpti_Activity& record, Trace& trace);

// The kind of external correlation that our ranges use.
inline constexpr auto our_ranges = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

}  // namespace strata::cuda
