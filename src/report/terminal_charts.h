// SPDX-License-Identifier: MIT
#pragma once

#include "report/terminal.h"

namespace strata {

// Stacked bars, a line each, a legend of the series first:
//
//   time per layer [ms]  # forward  = backward_data
//   conv1  12.3  #######=====
//   conv2   1.2  #
std::string terminal_bars(const StackedBars& chart, const TerminalStyle& style);

// A roofline in figures: a table of the roofs and one of the points.
std::string terminal_roofline(const RooflineChart& chart, const TerminalStyle& style);

}  // namespace strata
