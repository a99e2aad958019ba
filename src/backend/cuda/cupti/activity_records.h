// SPDX-License-Identifier: MIT
#pragma once

#include "trace/trace.h"

#include <cupti.h>

namespace strata::cuda {

// Adds the contents of one of CUPTI's activity records to a trace: kernels, copies, fills, and the
// ranges in which calls were made. Records of other kinds are ignored. Later versions of CUPTI
// append to the records of earlier ones, so the fields that are read have the layout of CUDA 12.4.
void add_record(const CUpti_Activity& record, Trace& trace);

// The kind of external correlation that our ranges use.
inline constexpr auto our_ranges = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

}  // namespace strata::cuda
