// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/finding.h"
#include "analyze/modelled_figure.h"
#include "report/document.h"

#include <span>

namespace strata {

// A published figure of counters beside our simulation of its device:
//
//   panel                layer  published  ours
//   5b: L1 hit rate      conv1       71.9  85.2
//   ...
//   panel                rank correlation  mean difference
//   5b: L1 hit rate      0.81              21.3
Document modelled_figure_document(const ModelledFigure& figure,
                                  std::span<const ComparedMeasure> panels,
                                  std::span<const ComparedFinding> findings);

}  // namespace strata
