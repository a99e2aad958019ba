// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "report/document.h"

namespace strata {

// The memory that a run used beside the prediction:
//
//   memory                             size [MB]  of the measured [%]
//   the network's tensors, by liveness     1,200                 92.3
//   the library's scratch memory            12.0                  0.9
//   predicted                              1,212                 93.2
//   measured                               1,300                  100
Table memory_table(const Run& run);

}  // namespace strata
