// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/comparison_rates.h"
#include "report/document.h"

namespace strata {

// How reliable verdicts are on a machine:
//
//   slow-down  faster  slower  same  cannot tell  called different  layers  layers called different
//   0 %        0       0       17    3            0 % (0-16 %)      180     0
//   5 %        0       20      0     0            100 % (84-100 %)  180     171
Document comparison_rates_document(const ComparisonRates& rates);

}  // namespace strata
