// SPDX-License-Identifier: MIT
#include "base/range.h"

#include "base/error.h"
#include "base/text.h"

#include <limits>
#include <optional>
#include <set>

namespace strata {

namespace {

// One parsed item of the list.
struct Span {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t step = 0;  // 0: doubling
};

[[noreturn]] void refuse(std::string_view text, std::string_view what) {
    throw Error(std::string(what) +
                    ": needs a positive whole number, or a range such as 1..64 (doubling), "
                    "64..512+64 or 1,2,4, not '" +
                    printable(text) + "'",
                ExitCode::usage);
}

std::int64_t positive(std::string_view number, std::string_view text, std::string_view what) {
    const auto value = parse_integer(number);
    if (!value || *value < 1) {
        refuse(text, what);
    }
    return *value;
}

Span span_of(std::string_view text, std::string_view what) {
    const auto dots = text.find("..");
    if (dots == std::string_view::npos) {
        const std::int64_t value = positive(text, text, what);
        return {value, value, 0};
    }
    const std::string_view end = text.substr(dots + 2);
    const auto plus = end.find('+');
    Span span{positive(text.substr(0, dots), text, what), positive(end.substr(0, plus), text, what),
              0};
    if (plus != std::string_view::npos) {
        span.step = positive(end.substr(plus + 1), text, what);
    }
    if (span.last < span.first) {
        refuse(text, what);
    }
    return span;
}

// Stops at the last value without overflow, even if it is near the largest integer.
std::optional<std::int64_t> next(const Span& span, std::int64_t value) {
    const std::int64_t step = span.step == 0 ? value : span.step;
    return step <= span.last - value ? std::optional(value + step) : std::nullopt;
}

void add(std::set<std::int64_t>& values, const Span& span, std::string_view what) {
    for (std::optional value = span.first; value; value = next(span, *value)) {
        values.insert(*value);
        if (values.size() > max_range_values) {
            throw Error(std::string(what) + ": more than " + std::to_string(max_range_values) +
                            " values are too many for one command; use a wider step",
                        ExitCode::usage);
        }
    }
    if (span.step == 0) {
        values.insert(span.last);
    }
}

}  // namespace

std::vector<std::int64_t> parse_range(std::string_view text, std::string_view what) {
    std::vector<std::string> items;
    for (const std::string_view item : split(text, ',')) {
        items.emplace_back(item);
    }
    return parse_ranges(items, what);
}

std::vector<std::int64_t> parse_ranges(const std::vector<std::string>& items,
                                       std::string_view what) {
    std::set<std::int64_t> values;
    for (const std::string& item : items) {
        add(values, span_of(item, what), what);
    }
    return {values.begin(), values.end()};
}

}  // namespace strata
