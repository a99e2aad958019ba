// SPDX-License-Identifier: MIT
#pragma once

#include "report/terminal.h"

namespace strata {

// Points and lines in a field of letters, a legend of the series first:
//
//   Time over work  time [ms] over work [GFLOP]  o measured  . the line
//   200 |                                                           o
//       |                                            ...............
//   100 |                         ..................o
//       |          ...............
//     0 |.........o
//       +-----------------------------------------------------------
//        0             5             10            15             20
std::string terminal_xy(const XyChart& chart, const TerminalStyle& style);

}  // namespace strata
