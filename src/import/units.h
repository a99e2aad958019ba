// SPDX-License-Identifier: MIT
#pragma once

#include "trace/trace.h"

#include <optional>
#include <string>
#include <string_view>

namespace strata {

// The units and numbers of every file that is imported. What is not known here is no number: its
// reader leaves it out and counts it, and assumes no factor.

// A unit of time in which a format or a table's column states times.
enum class TimeUnit { nanosecond, microsecond, millisecond, second };

// The unit that a tool calls so: "us" and "usecond" are microseconds.
std::optional<TimeUnit> time_unit(std::string_view name);

// A unit of what was counted: how many of the plain unit it is, and that unit's name.
struct CounterUnit {
    double factor = 1;
    std::string name = {};  // "B/s" of "Gbyte/second"; "ns" of a time, which formulas take
};

// The unit that a tool calls so, with its prefix: "Mbyte", "GB/s", "inst/cycle", "%", or nothing
// for a plain count.
std::optional<CounterUnit> counter_unit(std::string_view name);

// How the numbers of one file are written. "1,234" is 1234 where the decimal mark is a point and
// 1.234 where it is a comma, so that it is a number only if another one of the file tells which.
class NumberStyle {
public:
    // Takes a number of the file as evidence: "1.234,5" has a comma as its decimal mark.
    void learn(std::string_view text);

    // The number without separators of thousands and with a point: "1234.5" of "1,234.5",
    // "1 234,5" and "1'234.5". Nothing for what is no number, or has two meanings.
    std::optional<std::string> plain(std::string_view text) const;
    std::optional<double> number(std::string_view text) const;
    std::optional<Nanoseconds> time(std::string_view text, TimeUnit unit) const;

private:
    bool has_point_ = false;  // a number was met that only a decimal point explains
    bool has_comma_ = false;
};

// A count in a table, whose separators can only be those of thousands; nothing for what is none.
std::optional<std::uint32_t> parse_count(std::string_view text);

// A plain number ("123.4567") as a time: exact to the nanosecond also where a double is not.
// Nothing for what is no number or beyond 126 years.
std::optional<Nanoseconds> parse_time(std::string_view plain, TimeUnit unit);

}  // namespace strata
