// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <string>
#include <string_view>

namespace strata {

// Files built into the program, so that a report is self-contained. Each is safe inside its
// element: the build refuses a script that contains "</script".
extern const std::string_view chart_js;    // Chart.js, for drawing; MIT licence, notice at its head
extern const std::string_view report_js;   // assets/report.js
extern const std::string_view report_css;  // assets/report.css

// Stacked bars as markup: a legend, then a table with a row for each bar, which holds its label,
// its sum and the bar itself. Every label can be read, searched and copied, whatever their number,
// and no script is needed. Colour, order and the text under the pointer distinguish the parts.
std::string html_bars(const StackedBars& chart);

// Escapes foreign text for an element's content or a quoted attribute.
std::string escape_html(std::string_view foreign);

// A table as markup. Cells carry their unrounded number as data-value, for sorting; bars carry
// their length as --bar-length, and the rows of a tree their level.
std::string html_table(const Table& table);

}  // namespace strata
