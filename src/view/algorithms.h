// SPDX-License-Identifier: MIT
#pragma once

#include "record/algorithm.h"
#include "report/document.h"

namespace strata {

// Every algorithm for every different convolution of a network, the fastest of each pass marked:
//
//   alexnet, batch 32, f32: algorithms of 5 convolutions on NVIDIA H200
//   layer  pass     algorithm    notes         layout    workspace  time [ms]  rate [GFLOP/s] error
//   conv1  forward  cudnn:eng34  tensor cores  f32 nchw    25.8 MB       0.21           6,750  1e-6
//
// An algorithm that was offered but not measured has no time, and says so.
// Its columns: display flags are checked before anything is measured.
std::vector<Column> algorithm_columns();

Document algorithms_document(const AlgorithmComparison& comparison);

}  // namespace strata
