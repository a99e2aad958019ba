// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <string>
#include <vector>

namespace strata {

// A cell as text, cut where cells of its column align: at the decimal point of numbers.
struct TextCell {
    std::string left;
    std::string right;

    std::string whole() const { return left + right; }
};

// A column's header, and how its cells stand.
struct TextColumn {
    std::string title;  // with the unit: "time [ms]"
    Importance importance = Importance::normal;
    bool numeric = false;
};

// A table as people read it: every number in its column's scale, a dash for what is missing, the
// reasons and marks explained in the notes. What terminal, Markdown and HTML have in common.
struct TableText {
    std::string title;
    std::vector<TextColumn> columns;
    std::vector<std::vector<TextCell>> rows;
    std::vector<std::vector<TextCell>> totals;
    std::vector<std::string> notes;
};

// The table without the columns that are for data alone.
Table for_people(const Table& table);

// Whether a block is for data alone, a table without any column for people.
bool is_for_data_alone(const Block& block);

// What people see of it. Requires: as many cells as columns in every row.
TableText text_of(const Table& table);

}  // namespace strata
