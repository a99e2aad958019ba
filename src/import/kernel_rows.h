// SPDX-License-Identifier: MIT
#pragma once

#include "import/recording.h"
#include "import/source.h"
#include "import/units.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A time in a table, or why it is invalid.
struct TableTime {
    std::optional<Nanoseconds> time = {};
    LeftOutReason why = LeftOutReason::no_time;
    std::string what = {};  // the unit or the text
};

// A profiler's table as text, row by row (RFC 4180: fields in quotes may hold separators and quotes
// in pairs, but no line breaks here), found by its header: everything before it is the program's
// own output. Commas separate the fields, or semicolons or tabs, as written by spreadsheets.
class CsvTable {
public:
    // Requires: the source and the ledger outlive it.
    CsvTable(ByteSource& source, Ledger& ledger) : source_(source), ledger_(ledger) {}

    // Advances to the first row under a header with one of these columns and the other column;
    // false if there is none. Rows of a similar table before it are booked as left out.
    bool find_header(std::initializer_list<std::string_view> columns, std::string_view also = {});

    // Reads the whole file once to learn its number format from the columns that hold numbers; the
    // rows can still be read. Requires: the header was found.
    void learn_numbers(const std::function<bool(std::string_view column)>& is_number);

    // Advances to the next row, which the ledger has met; false after the last. Rows whose number
    // of fields differs from the header's, and rows of a following table, are booked as left out.
    // Messages of the tool in between ("==12== Warning: ...") are quoted.
    bool next();
    // Reads the row below the header, which holds the columns' units. If this column has a number
    // there, it is a row of the table, and all rows are left out for lack of units.
    bool next_units(std::string_view column);

    bool has(std::string_view column) const { return place_of(column).has_value(); }
    // The field of the current row; empty if there is no such column.
    std::string_view at(std::string_view column) const;
    // The first column whose name begins like this ("Duration (ns)"), and its field.
    std::string_view column_with(std::string_view prefix) const;
    std::string_view at_prefix(std::string_view prefix) const;
    const std::vector<std::string>& columns() const { return columns_; }
    const std::vector<std::string>& row() const { return row_; }

    std::optional<double> number(std::string_view text) const { return style_.number(text); }
    TableTime time_in(std::string_view text, std::string_view unit) const;

private:
    std::optional<std::size_t> place_of(std::string_view column) const;
    bool read(std::vector<std::string>& fields);
    void divide(std::vector<std::string>& fields);
    bool is_row();
    void book_rows_before(std::uint64_t end);

    ByteSource& source_;
    Ledger& ledger_;
    NumberStyle style_ = {};
    std::string line_ = {};
    std::vector<std::string> columns_ = {};
    std::vector<std::string> row_ = {};
    std::vector<std::string> wanted_ = {};  // columns that identified the header
    char separator_ = ',';
    bool ends_in_quotes_ = false;  // the current line belongs to the table
    bool is_other_table_ = false;  // the current rows belong to a following table
};

// The unit in a column's name: "ns" for "Total Time (ns)".
std::string_view unit_in_name(std::string_view column);

// A count in a table; 0 if it is invalid.
std::uint32_t whole_of(std::string_view text);

// A kernel of a table.
struct KernelRow {
    std::string name = {};
    TextId scope = 0;  // the ranges around its launch
    TextId implementation = 0;
    std::optional<Nanoseconds> start = {};
    TableTime time = {};
    std::string device_name = {};
    std::string device = {};  // its number; empty: unknown
    std::int64_t process = 0;
    std::uint32_t stream = 0;
    std::optional<LaunchShape> launch = {};
    SpanKind kind = SpanKind::kernel;
    RecordedCounters counters = {};
    std::uint64_t records = 1;  // of the original file
};

// Kernels of a table as separate operators: nothing records what launched them.
class KernelRows {
public:
    explicit KernelRows(std::string tool) { profile_.tool = std::move(tool); }

    // Books the row's records. A kernel without a name, or with an implausible time, is left out.
    void add(KernelRow row);

    // Kernels without a time are left out, unless none has one and they have counters. Throws Error
    // if the table had no kernel.
    RecordedProfile finish(const ByteSource& source);

    RecordedProfile& profile() { return profile_; }
    Ledger& ledger() { return profile_.ledger; }
    bool has_counters() const { return !profile_.counters.empty() || !untimed_.empty(); }

private:
    struct Untimed {
        RecordedOperator one = {};
        RecordedCounters counters = {};
        std::uint64_t records = 0;
    };

    void take_untimed();
    void sort_by_start();

    RecordedProfile profile_ = {};
    std::vector<Untimed> untimed_ = {};
    Nanoseconds now_ = Nanoseconds(1);
};

}  // namespace strata
