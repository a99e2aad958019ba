// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <string>

namespace strata {

// How CSV writes text that a spreadsheet would run as a formula: after an apostrophe, or unchanged.
enum class FormulaText { marked, as_it_is };

// The first table of data_of() by RFC 4180: a line of keys, then a line for each row with unrounded
// numbers in SI units; what is missing is empty. Names are cleaned of control characters, so a row
// is one line. Requires: the document is data (data_of).
std::string render_csv(const Document& data, FormulaText formulas = FormulaText::marked);

// The document as GitHub-flavoured Markdown; charts become tables.
std::string render_markdown(const Document& document);

// The document's charts as one script for gnuplot 5, stacked vertically, with their figures inside:
//
//   strata run alexnet --inference --batch 1..64 --gnuplot > chart.gp; gnuplot -p chart.gp
//
// Names are written in single quotes, where gnuplot expands nothing. Everything but charts is left
// out.
std::string render_gnuplot(const Document& document);

// The document as one self-contained page: tables that are readable without JavaScript and sort and
// filter with it, charts drawn by the embedded Chart.js, light and dark. It begins with a strict
// content security policy; all names are escaped. The page marks itself with data-selftest="ok"
// once its charts and tables are complete (window.__selftest()). The same document gives the same
// bytes.
std::string render_html(Document document);

}  // namespace strata
