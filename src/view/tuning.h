// SPDX-License-Identifier: MIT
#pragma once

#include "record/settings.h"
#include "record/tuning.h"
#include "report/document.h"

namespace strata {

// The results of tuning a network, one row for each pass of each different convolution and linear
// layer:
//
//   alexnet, batch 32, training, f32, 2 threads: the algorithms of 24 passes of
//   different convolutions and linear layers, tuned
//   layer  pass     algorithm         usual [ms]  alone [ms]  time / usual     candidates
//   conv2  forward  winograd-4x4-5x5        9.10        4.20  0.46 ± 0.01               6
//   conv1  forward  direct                  2.10           –  –                         3
//   fc8    backward_weights  matmul         6.60        3.80  0.58 ± 0.02               2
//   All choices together: the step takes 0.81 (0.80 to 0.82) of the usual 212 ms. Tuned in 41.2 s.
//
// then every candidate that was measured. Times are those of a pass in the running network with the
// reorders and sums that it needs.
Document tuning_document(const Settings& settings, const TuningOutcome& outcome);

// The first table's columns: display flags are checked before anything is measured.
std::vector<Column> tuning_columns();

}  // namespace strata
