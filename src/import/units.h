// SPDX-License-Identifier: MIT
#pragma once

#include "trace/trace.h"

#include <optional>
#include <string>
#include <string_view>

namespace strata {

// The units and numbers of all imported files. Anything unknown here is not a number: the reader
// leaves it out and counts it, and assumes no factor.

// A unit of time of a format or a table's column.
enum class TimeUnit { nanosecond, microsecond, millisecond, second };

// The unit of that name in a tool: "us" and "usecond" are microseconds.
std::optional<TimeUnit> time_unit(std::string_view name);

// A unit of a counter: its factor to the plain unit, and that unit's name.
struct CounterUnit {
    double factor = 1;
    std::string name = {};  // "B/s" for "Gbyte/second"; "ns" for a time, as formulas expect
};

// The unit of that name in a tool, with its prefix: "Mbyte", "GB/s", "inst/cycle", "%", or nothing
// for a plain count.
std::optional<CounterUnit> counter_unit(std::string_view name);

// The number format of one file. "1,234" is 1234 if the decimal mark is a point and 1.234 if it is
// a comma, so it is a number only if another one in the file decides which.
class NumberStyle {
public:
    // Takes a number of the file as evidence: "1.234,5" has a comma as its decimal mark.
    void learn(std::string_view text);

    // The number without thousands separators and with a point: "1234.5" for "1,234.5", "1 234,5"
    // and "1'234.5". Nothing if it is not a number or is ambiguous.
    std::optional<std::string> plain(std::string_view text) const;
    std::optional<double> number(std::string_view text) const;
    std::optional<Nanoseconds> time(std::string_view text, TimeUnit unit) const;

private:
    bool has_point_ = false;  // a number was seen that only a decimal point explains
    bool has_comma_ = false;
};

// A count in a table, whose separators can only be thousands separators; nothing if it is not a
// count.
std::optional<std::uint32_t> parse_count(std::string_view text);

// A plain number ("123.4567") as a time: exact to the nanosecond even if a double is not. Nothing
// if it is not a number or beyond 126 years.
std::optional<Nanoseconds> parse_time(std::string_view plain, TimeUnit unit);

}  // namespace strata
