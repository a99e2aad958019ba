// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <string>

namespace strata {

// The document as one page that needs no network and no other file: tables that read without
// JavaScript and sort and filter with it, charts drawn by the embedded Chart.js, light and dark. A
// strict content security policy stands at its head; all names are escaped. The page marks itself
// with data-selftest="ok" once its charts and tables stand (window.__selftest()). The same document
// gives the same bytes.
std::string render_html(const Document& document);

}  // namespace strata
