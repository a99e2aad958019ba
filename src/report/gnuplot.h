// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <string>

namespace strata {

// The document's charts as one script for gnuplot 5, below each other, with their figures inside:
//
//   strata run alexnet --inference --batch 1..64 --gnuplot > chart.gp; gnuplot -p chart.gp
//
// Names are written in single quotes, where gnuplot expands nothing. What is no chart is left out.
std::string render_gnuplot(const Document& document);

}  // namespace strata
