// SPDX-License-Identifier: MIT
#include "import/kernel_rows.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

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
                ? "1 row of the table has another number of fields than the header, and was left "
                  "out"
                : fmt::format("{} rows of the table have another number of fields than the header, "
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
