// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <string>

namespace strata {

// The first table of data_of() by RFC 4180: a line of keys, then a line a row with whole numbers in
// SI units; what is missing is empty. Names are cleaned of control characters, so a row is one
// line. Requires: the document is data (data_of).
std::string render_csv(const Document& data);

}  // namespace strata
