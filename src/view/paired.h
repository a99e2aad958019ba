// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/paired.h"
#include "report/document.h"

namespace strata {

// Two runs side by side:
//
//   alexnet, batch 32: fuse default → on
//   layer          pass     before [ms]  after [ms]  after / before     finding
//   conv1 + relu1  forward  1.32 ± 0.01  1.12 ± 0.01  0.85 (0.83-0.87)  faster
//   pool1          forward  0.31 ± 0.01  0.31 ± 0.01  1.00 (0.97-1.03)  no difference
//   end to end
// Its table, a row for each layer and pass and the whole iteration as total.
Table paired_table(const Pairing& pairing, const Run& before, const Run& after);

Document paired_document(const Run& before, const Run& after);

}  // namespace strata
