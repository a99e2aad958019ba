// SPDX-License-Identifier: MIT
#include "import/kernel_rows.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

bool CsvTable::read(std::vector<std::string>& fields) {
    if (!source_.next_line(line_)) {
        return false;
    }
    fields.assign(1, {});
    bool is_quoted = false;
    for (std::size_t i = 0; i < line_.size(); ++i) {
        const char c = line_[i];
        if (c == '"' && is_quoted && i + 1 < line_.size() && line_[i + 1] == '"') {
            fields.back() += line_[++i];
        } else if (c == '"') {
            is_quoted = !is_quoted;
        } else if (c == ',' && !is_quoted) {
            fields.emplace_back();
        } else {
            fields.back() += c;
        }
    }
    return true;
}

bool CsvTable::find_header(std::initializer_list<std::string_view> columns) {
    while (read(columns_)) {
        if (std::ranges::any_of(columns, [&](std::string_view one) { return has(one); })) {
            return true;
        }
    }
    return false;
}

bool CsvTable::next() {
    while (read(row_)) {
        if (row_.size() == columns_.size()) {
            return true;
        }
        const bool is_blank_or_message = row_.size() == 1 || line_.starts_with("==");
        left_out_ += is_blank_or_message ? 0U : 1U;
    }
    return false;
}

std::optional<std::size_t> CsvTable::place_of(std::string_view column) const {
    const auto found = std::ranges::find(columns_, column);
    return found == columns_.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - columns_.begin()));
}

std::string_view CsvTable::at(std::string_view column) const {
    const auto place = place_of(column);
    return place && *place < row_.size() ? std::string_view(row_[*place]) : std::string_view();
}

std::string_view CsvTable::at_prefix(std::string_view prefix) const {
    for (std::size_t i = 0; i < columns_.size() && i < row_.size(); ++i) {
        if (columns_[i].starts_with(prefix)) {
            return row_[i];
        }
    }
    return {};
}

std::optional<double> parse_separated(std::string_view text) {
    std::string plain(trim(text));
    std::erase(plain, ',');
    const auto value = parse_number(plain);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

namespace {

struct TimeUnit {
    std::string_view name;
    double nanoseconds;
};
constexpr std::array time_units = {
    TimeUnit{"ns", 1},   TimeUnit{"nsecond", 1},   TimeUnit{"nanosecond", 1},
    TimeUnit{"us", 1e3}, TimeUnit{"usecond", 1e3}, TimeUnit{"microsecond", 1e3},
    TimeUnit{"ms", 1e6}, TimeUnit{"msecond", 1e6}, TimeUnit{"millisecond", 1e6},
    TimeUnit{"s", 1e9},  TimeUnit{"second", 1e9},
};

}  // namespace

std::optional<Nanoseconds> time_in(std::string_view text, std::string_view unit) {
    const auto known = std::ranges::find(time_units, unit, &TimeUnit::name);
    std::string plain(trim(text));
    std::erase(plain, ',');
    return known == time_units.end() ? std::nullopt : parse_nanoseconds(plain, known->nanoseconds);
}

std::uint32_t whole_of(std::string_view text) {
    const double value = parse_separated(text).value_or(0);
    return static_cast<std::uint32_t>(std::clamp(value, 0.0, 2e9));
}

void KernelRows::add(KernelRow row) {
    if (row.name.empty()) {
        ++left_out_.nameless;
        return;
    }
    if (!profile_.has_times) {
        row.time = Nanoseconds::zero();
    }
    if (!row.time || !is_plausible(*row.time)) {
        ++left_out_.implausible;
        return;
    }
    const TextId name = profile_.texts.id_of(row.name);
    const auto place = static_cast<std::uint32_t>(profile_.operators.size());
    const Nanoseconds start = row.start.value_or(now_);
    profile_.operators.push_back({.name = name,
                                  .scope = row.scope,
                                  .stream = row.stream,
                                  .start = start,
                                  .time = *row.time});
    now_ = start + *row.time;
    if (!row.counters.empty()) {
        profile_.counters[place] = std::move(row.counters);
    }
    if (row.start) {
        profile_.spans.push_back({.span = {.kind = row.kind,
                                           .name = std::string(profile_.texts[name]),
                                           .device = row.device,
                                           .stream = row.stream,
                                           .start = start,
                                           .end = start + *row.time,
                                           .launch = row.launch},
                                  .launched_by = place});
    }
}

RecordedProfile KernelRows::finish(const CsvTable& table, const ByteSource& source) {
    if (profile_.operators.empty() && left_out_.nameless + left_out_.implausible == 0) {
        throw Error(
            fmt::format("'{}' has no kernel in its table; record it again, with its first lines",
                        source.name()));
    }
    profile_.has_starts = !profile_.spans.empty();
    sort_by_start();
    left_out_.add_to(profile_.doubts);
    if (table.left_out() > 0) {
        profile_.doubts.push_back(
            table.left_out() == 1
                ? "1 row of the table has a different number of fields than the header, and was "
                  "left "
                  "out"
                : fmt::format(
                      "{} rows of the table have a different number of fields than the header, "
                      "and were left out",
                      table.left_out()));
    }
    return std::move(profile_);
}

void KernelRows::sort_by_start() {
    if (!profile_.has_starts || profile_.spans.size() != profile_.operators.size()) {
        return;
    }
    std::ranges::stable_sort(profile_.spans, {},
                             [](const RecordedSpan& one) { return one.span.start; });
    std::vector<RecordedOperator> sorted;
    for (RecordedSpan& one : profile_.spans) {
        sorted.push_back(profile_.operators[one.launched_by]);
        one.launched_by = static_cast<std::uint32_t>(sorted.size() - 1);
    }
    profile_.operators = std::move(sorted);
}

}  // namespace strata
