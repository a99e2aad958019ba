// SPDX-License-Identifier: MIT
#pragma once

#include "import/recording.h"
#include "import/source.h"

#include <cstdint>
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

// A time in a table, in the unit that the table names: "usecond". Nothing for what is no number or
// no unit of time.
std::optional<Nanoseconds> time_in(std::string_view text, std::string_view unit);

// A count in a table; 0 for what is none.
std::uint32_t whole_of(std::string_view text);

// What a kernel's row contains.
struct KernelRow {
    std::string_view name = {};
    TextId scope = 0;  // the ranges around its launch
    std::optional<Nanoseconds> start = {};
    std::optional<Nanoseconds> time = {};
    std::uint32_t device = 0;
    std::uint32_t stream = 0;
    std::optional<LaunchShape> launch = {};
    SpanKind kind = SpanKind::kernel;
    RecordedCounters counters = {};
};

// Kernels of a table, as operators of their own: nothing records what launched them.
class KernelRows {
public:
    explicit KernelRows(std::string tool) { profile_.tool = std::move(tool); }

    // Requires: a table whose rows have counters has no starts (the rows are sorted by them).
    // A row without a name, or with an implausible time, is left out and counted.
    void add(KernelRow row);

    // Throws Error where the table had no kernel.
    RecordedProfile finish(const CsvTable& table, const ByteSource& source);

    RecordedProfile& profile() { return profile_; }

private:
    void sort_by_start();

    RecordedProfile profile_ = {};
    LeftOut left_out_ = {};
    Nanoseconds now_ = Nanoseconds(1);
};

}  // namespace strata
