// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <string>

namespace strata {

// The document as JSON: {"title", "blocks": [{"type": "table", "title", "columns": [{"key",
// "title", "unit"}], "rows": [{key: value, ...}], "totals", "notes"}, ...]}. Numbers are whole and
// in SI units; an interval stands beside its number as key_low and key_high; what is missing is
// null.
std::string render_json(const Document& document);

}  // namespace strata
