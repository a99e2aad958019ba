// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "report/document.h"
#include "view/step_filter.h"

#include <vector>

namespace strata {

// The results of recording a run's iterations; empty if none was recorded:
//
//   One of 11 recorded iterations on NVIDIA H200: the one of median length (4.1 ms). Recording made
//   an iteration 0.9 % longer.
//   kernels by layer ...                                                   (trace_table)
//   the longest kernels
//   kernel        layer  pass     time [us]  grid     block  registers  shared [kB]  stream  name
//   sgemm_128x64  conv2  forward       41.0  12x16x1  256         122           49        7  void..
std::vector<Block> trace_blocks(const Run& run, const StepFilter& filter = {});

}  // namespace strata
