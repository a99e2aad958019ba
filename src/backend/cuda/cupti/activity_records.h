// SPDX-License-Identifier: MIT
#pragma once

#include "trace/trace.h"

#include <cupti.h>

namespace strata::cuda {

// Adds to a trace what one of CUPTI's activity records says: kernels, copies, fills, and the ranges
// that calls were made in. Records of other kinds say nothing that a trace holds. Later versions of
// CUPTI append to the records of earlier ones, so what is read has the layout of CUDA 12.4's.
void add_record(const CUpti_Activity& record, Trace& trace);

// The kind of external correlation that our ranges use.
inline constexpr auto our_ranges = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

}  // namespace strata::cuda
