// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <cstddef>

namespace strata {

// The limits of a page, so that it opens at once and can be sent.
struct PageLimit {
    std::size_t rows = 1000;  // of each table, of one run; several runs share four times as many
    std::size_t bars = 400;   // of each chart
    std::size_t points = 2000;
    std::size_t parts = 40;  // runs with all their tables
};

// The document cut to the limits: the heaviest rows, bars and points, in their order, and the first
// parts. A note at each place says how many were left out.
Document limited_to_page(Document document, const PageLimit& limit = {});

}  // namespace strata
