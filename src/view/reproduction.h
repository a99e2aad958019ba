// SPDX-License-Identifier: MIT
#pragma once

#include "published/reproduction.h"
#include "report/document.h"

#include <span>

namespace strata {

// What can be reproduced: name, how many numbers, what they are, whose.
Document reproductions_document(std::span<const Reproduction> reproductions);

// Published numbers beside ours, a table for each source:
//
//   dong2018-table1: operations of each layer of AlexNet, one image
//   quantity  published    in full      ours         difference  tolerance  verdict  why
//   conv1     210,000,000  210,830,400  210,830,400           0  1,000,000  equal
//   Source: Dong et al., ICPE 2018, Table 1.
//   Remark: ...
//   21 numbers: 21 equal.
//
// The difference is to the number in full where the source's own formula gives it.
Document reproduced_document(std::span<const Reproduced> reproduced);

}  // namespace strata
