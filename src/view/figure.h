// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/figure.h"
#include "report/document.h"

#include <span>

namespace strata {

// A published figure of times beside ours; their order is compared:
//
//   kim2017-fig9ab: time of AlexNet's convolutions by layer and algorithm, 256 images
//   panel                algorithm  published  rank     ours  our rank
//   9a: forward, conv2   gemm         43.5 ms     4   1.90 s         4
//   ...
//   panel                same order  rank correlation  pairs  reversed
//   9a: forward, conv2   differs                 0.80      5  direct before gemm
//
// then the machine that ours were measured on, and charts by layer and over the batch.
Document figure_document(const MeasuredFigure& figure, std::span<const ComparedPanel> panels,
                         std::span<const AlgorithmComparison> batches);

// The columns of the bars: display flags are checked before anything is measured.
std::vector<Column> figure_columns();

}  // namespace strata
