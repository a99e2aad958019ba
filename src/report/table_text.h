// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <string>
#include <vector>

namespace strata {

// A cell as text, split at the decimal point of numbers, where the cells of a column align.
struct TextCell {
    std::string left;
    std::string right;

    std::string whole() const { return left + right; }
};

// A column's header, and how its cells align.
struct TextColumn {
    std::string title;  // with the unit: "time [ms]"
    Importance importance = Importance::normal;
    bool numeric = false;
};

// A table as people read it: every number in its column's scale, a dash for a missing value, the
// reasons and marks explained in the notes. Shared by terminal, Markdown and HTML.
struct TableText {
    std::string title;
    std::vector<TextColumn> columns;
    std::vector<std::vector<TextCell>> rows;
    std::vector<std::vector<TextCell>> totals;
    std::vector<std::string> notes;
};

// The table without the columns that are only for data.
Table for_people(const Table& table);

// Whether a block is only for data: a table without any column for people.
bool is_for_data_alone(const Block& block);

// The table as people see it. Requires: as many cells as columns in every row.
TableText text_of(const Table& table);

}  // namespace strata
