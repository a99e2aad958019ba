// SPDX-License-Identifier: MIT
#pragma once

#include "report/terminal.h"

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

}  // namespace strata
