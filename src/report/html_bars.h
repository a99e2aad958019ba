// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <string>

namespace strata {

// Stacked bars as markup: a legend, then a table with a row for each bar, which holds its label,
// its sum and the bar itself. However many there are, every label can be read, searched and copied,
// and no script is needed. Parts are told apart by colour, order and the text under the pointer.
std::string html_bars(const StackedBars& chart);

}  // namespace strata
