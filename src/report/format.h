// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <optional>
#include <string>
#include <string_view>

namespace strata {

// A unit with its SI prefix (powers of 1000, also for bytes): value / factor is printed.
struct Scale {
    double factor = 1;
    std::string unit;

    bool operator==(const Scale&) const = default;
};

// The prefix that leaves a number of this magnitude at 1 to 1000. Units without prefixes ("%",
// "FLOP/B", "") and unknown ones are unchanged.
Scale scale_for(std::string_view unit, double magnitude);

// A number in the given scale, without its unit: "12.3 ± 0.1". The interval sets the digits, from 2
// to 4; without one there are 3, shares have one decimal, and counts have all digits
// ("60,965,224"). A half width too small for the last digit prints as "± <0.1"; a wide interval
// that is asymmetric, or would seem to reach below 0, prints its ends: "8.0 [7.9, 16.0]". Requires:
// finite.
std::string number_text(const Number& number, const Scale& scale);

// The same in its own best scale, with the unit: "12.3 ms ± 0.1", "18 %".
std::string number_text(const Number& number);
std::string number_text(double value, const char* unit);

// Whether there is nothing to print: Missing, or a number that is not finite.
bool is_missing(const Cell& cell);

// The cell's number; empty if it is missing or text.
std::optional<double> value_in(const Cell& cell);

// The cell by itself: its number with the unit, its text, or a dash.
std::string cell_text(const Cell& cell);

}  // namespace strata
