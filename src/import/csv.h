// SPDX-License-Identifier: MIT
#pragma once

#include "import/source.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A profiler's table as text, row by row (RFC 4180: fields in quotes may hold commas and quotes in
// pairs, but no line breaks here), found by its header: what stands before it is the program's own
// output.
class CsvTable {
public:
    // Requires: the source outlives it.
    explicit CsvTable(ByteSource& source) : source_(source) {}

    // Goes to the next row that has one of these columns; false if there is none.
    bool find_header(std::initializer_list<std::string_view> columns);

    // The next row; false after the last. Rows with other numbers of fields than the header are
    // left out and counted.
    bool next();

    bool has(std::string_view column) const { return place_of(column).has_value(); }
    // The field of the present row; empty where there is no such column.
    std::string_view at(std::string_view column) const;
    // The first column whose name begins like this ("Duration (ns)").
    std::string_view at_prefix(std::string_view prefix) const;
    const std::vector<std::string>& columns() const { return columns_; }
    const std::vector<std::string>& row() const { return row_; }
    std::uint64_t left_out() const { return left_out_; }

private:
    std::optional<std::size_t> place_of(std::string_view column) const;
    bool read(std::vector<std::string>& fields);

    ByteSource& source_;
    std::string line_ = {};
    std::vector<std::string> columns_ = {};
    std::vector<std::string> row_ = {};
    std::uint64_t left_out_ = 0;
};

// A number with separators of thousands: "1,234.5".
std::optional<double> parse_separated(std::string_view text);

}  // namespace strata
