// SPDX-License-Identifier: MIT
#pragma once

#include "parallel/collective_fit.h"
#include "record/run.h"
#include "report/document.h"

#include <vector>

namespace strata {

// How times of collectives were fitted, and how far left-out points above 64 KiB are off:
//
//   collective  devices  points  latency  bandwidth    lines  left out
//   all-reduce  8        15      15.6 us  254 GB/s     3      6.1 %
//   collective  algorithm  alpha    beta        gamma       error
//   all-reduce  ring       1.5 us   312 GB/s    900 GB/s    14 %
// `origin` is that of the times.
Document collectives_document(const std::vector<CollectivePoint>& points, const Link& link,
                              Origin origin);

}  // namespace strata
