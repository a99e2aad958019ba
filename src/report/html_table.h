// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <string>
#include <string_view>

namespace strata {

// Foreign text for an element's content or a quoted attribute.
std::string escape_html(std::string_view foreign);

// A table as markup. Cells carry their whole number as data-value, by which the page sorts, bars
// their length as --bar-length, and the rows of a tree their level.
std::string html_table(const Table& table);

}  // namespace strata
