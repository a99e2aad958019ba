// SPDX-License-Identifier: MIT
#pragma once

#include "published/figure.h"
#include "published/modelled_figure.h"
#include "published/reproduction.h"
#include "report/document.h"

#include <span>

namespace strata {

// The reproducible publications: name, count of numbers, subject and source.
Document reproductions_document(std::span<const Reproduction> reproductions,
                                std::span<const MeasuredFigure> figures,
                                std::span<const ModelledFigure> simulated);

// Published numbers beside ours, one table for each source, and how many agree by basis:
//
//   dong2018-table1: operations of each layer of AlexNet, one image
//   quantity  basis    where    published    ours         difference  ours is   verdict  why
//   conv1     printed  Table 1  210,000,000  210,830,400     830,400  counted   within
//   lrn1      printed  Table 1    4,000,000    4,065,600      65,600  modelled  within
//   Source: Dong et al., ICPE 2018.
//   Modelled: 14 operations for each element of an LRN are fitted to its two rows
//   Remark: ...
//   19 printed: 1 equal, 18 within tolerance; 2 printed, ours modelled: 2 within tolerance.
Document reproduced_document(std::span<const Reproduced> reproduced);

}  // namespace strata
