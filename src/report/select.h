// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

namespace strata {

// Which part of a document's tables is wanted. Empty fields change nothing.
struct Selection {
    std::vector<std::string> columns = {};  // keys, in the order to print them
    std::string sort = {};                  // key; numbers largest first, texts alphabetically
    std::size_t top = 0;                    // rows kept, after sorting
};

// The document with every table that has a wanted column cut to the selection; totals stay. Throws
// Error with exit code usage where no table has a column of that key.
Document select(const Document& document, const Selection& selection);

}  // namespace strata
