// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <string>

namespace strata {

// The document's tables by RFC 4180: a line of keys, then rows and totals with whole numbers in SI
// units; what is missing is empty. Names are cleaned of control characters, so a row is one line.
// Several tables stand apart by an empty line.
std::string render_csv(const Document& document);

}  // namespace strata
