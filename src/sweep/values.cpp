// SPDX-License-Identifier: MIT
#include "sweep/values.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace strata {

namespace {

constexpr std::int64_t largest_value = std::int64_t{1} << 40;
constexpr std::int64_t max_range_values = 10'000;
constexpr double min_factor = 1.01;

void require_value(const TomlSection& section, std::string_view key, std::int64_t value) {
    if (value < 1 || value > largest_value) {
        refuse_value(section, key,
                     fmt::format("{} is out of range; give whole numbers from 1 to {}", value,
                                 largest_value));
    }
}

// A range as written; exactly one of the last three is set.
struct ValueRange {
    std::int64_t from = 1;
    std::int64_t to = 1;
    std::optional<std::int64_t> step = {};
    std::optional<std::int64_t> count = {};
    std::optional<double> factor = {};
};

ValueRange range_in(const toml::table& table, const TomlSection& outer, std::string_view key) {
    const TomlSection section(table, outer.place(key));
    section.expect_only(std::array<std::string_view, 5>{"from", "to", "step", "count", "factor"});
    const auto from = section.count("from");
    const auto to = section.count("to");
    const ValueRange range{.from = from.value_or(1),
                           .to = to.value_or(1),
                           .step = section.count("step"),
                           .count = section.count("count"),
                           .factor = section.number("factor")};
    const int ways =
        int{range.step.has_value()} + int{range.count.has_value()} + int{range.factor.has_value()};
    if (!from || !to || ways != 1) {
        refuse_value(outer, key,
                     "a range is { from = 1, to = 8, step = 1 }, with step, count or factor");
    }
    return range;
}

// Throws before any value is computed.
void require_range(const ValueRange& range, const TomlSection& outer, std::string_view key) {
    require_value(outer, key, range.from);
    require_value(outer, key, range.to);
    if (range.from > range.to) {
        refuse_value(outer, key,
                     fmt::format("the range from {} to {} is empty; give from the smaller to the "
                                 "larger",
                                 range.from, range.to));
    }
    if (range.factor && !(*range.factor >= min_factor)) {
        refuse_value(outer, key, fmt::format("a factor must be at least {}", min_factor));
    }
    const std::int64_t count =
        range.step ? (range.to - range.from) / *range.step + 1 : range.count.value_or(1);
    if (count > max_range_values) {
        refuse_value(outer, key,
                     fmt::format("the range has {} values, more than {}; take larger steps", count,
                                 max_range_values));
    }
}

std::vector<std::int64_t> values_of(const ValueRange& range) {
    std::vector<std::int64_t> values;
    const auto from = static_cast<double>(range.from), to = static_cast<double>(range.to);
    if (range.factor) {
        constexpr double rounding = 1 + 1e-12;
        for (double value = from; value <= to * rounding; value *= *range.factor) {
            values.push_back(std::llround(value));
        }
    } else if (range.step) {
        for (std::int64_t i = 0; i <= (range.to - range.from) / *range.step; ++i) {
            values.push_back(range.from + i * *range.step);
        }
    } else {
        const auto gaps = static_cast<double>(std::max<std::int64_t>(*range.count - 1, 1));
        for (std::int64_t i = 0; i < *range.count; ++i) {
            values.push_back(std::llround(from + static_cast<double>(i) / gaps * (to - from)));
        }
    }
    return values;
}

std::vector<std::int64_t> values_of(const toml::array& list, const TomlSection& section,
                                    std::string_view key) {
    std::vector<std::int64_t> values;
    for (const auto& element : list) {
        const auto value = element.value_exact<std::int64_t>();
        if (!value) {
            refuse_value(section, key, "give a list of whole numbers");
        }
        require_value(section, key, *value);
        values.push_back(*value);
    }
    if (values.empty()) {
        refuse_value(section, key, "the list is empty; give at least one value");
    }
    return values;
}

}  // namespace

void refuse_value(const TomlSection& section, std::string_view key, const std::string& why) {
    throw Error(fmt::format("{}: {}", printable(section.place(key)), why), ExitCode::usage);
}

std::vector<std::int64_t> whole_numbers_in(const toml::table& table, const TomlSection& section,
                                           std::string_view key) {
    const toml::node* node = table.get(key);
    std::vector<std::int64_t> values;
    if (const auto one = node->value_exact<std::int64_t>()) {
        require_value(section, key, *one);
        values = {*one};
    } else if (node->is_array()) {
        values = values_of(*node->as_array(), section, key);
    } else if (node->is_table()) {
        const ValueRange range = range_in(*node->as_table(), section, key);
        require_range(range, section, key);
        values = values_of(range);
    } else {
        refuse_value(section, key, "give a whole number, a list of them, or a range");
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

}  // namespace strata
