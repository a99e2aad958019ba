// SPDX-License-Identifier: MIT
#pragma once

#include "report/terminal.h"

#include <span>
#include <string_view>

namespace strata {

// A table for a terminal:
//
//   layer  pass     time [ms]    share [%]
//   ─────  ───────  ───────────  ─────────
//   conv1  forward  12.3  ± 0.1       18.2
//   fc8    forward   0.12 ± 0.01       0.2
//   ─────  ───────  ───────────  ─────────
//   total           12.4               100
//   ¹ a note
std::string terminal_table(const Table& table, const TerminalStyle& style);

// Stacked bars, one line each, after a legend of the series:
//
//   time per layer [ms]  # forward  = backward_data
//   conv1  12.3  #######=====
//   conv2   1.2  #
std::string terminal_bars(const StackedBars& chart, const TerminalStyle& style);

// The sign of a series: series differ by sign as well as by colour. After the signs of a chart come
// letters, and after the letters the signs again.
std::string_view sign_of(std::span<const std::string_view> signs, std::size_t series);

// A roofline in figures: a table of the roofs and one of the points.
std::string terminal_roofline(const RooflineChart& chart, const TerminalStyle& style);

// Points and lines in a field of letters, after a legend of the series:
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
