// SPDX-License-Identifier: MIT
#include "import/kernel_rows.h"

#include "import/devices.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace strata {

namespace {

// Whether a line of the tool about itself is more than a progress message.
bool is_warning(std::string_view line) {
    std::string lower(line);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::ranges::any_of(std::array{"warning", "error", "lost", "dropped"},
                               [&](const char* word) { return lower.find(word) != lower.npos; });
}

}  // namespace

bool CsvTable::read(std::vector<std::string>& fields) {
    if (!source_.next_line(line_)) {
        return false;
    }
    if (line_.starts_with("==") && is_warning(line_)) {
        ledger_.quote(line_);
    }
    divide(fields);
    return true;
}

void CsvTable::divide(std::vector<std::string>& fields) {
    fields.assign(1, {});
    bool is_quoted = false;
    for (std::size_t i = 0; i < line_.size(); ++i) {
        const char c = line_[i];
        if (c == '"' && is_quoted && i + 1 < line_.size() && line_[i + 1] == '"') {
            fields.back() += line_[++i];
        } else if (c == '"') {
            is_quoted = !is_quoted;
        } else if (c == separator_ && !is_quoted) {
            fields.emplace_back();
        } else {
            fields.back() += c;
        }
    }
    ends_in_quotes_ = is_quoted;
}

bool CsvTable::find_header(std::initializer_list<std::string_view> columns, std::string_view also) {
    wanted_.assign(columns.begin(), columns.end());
    const auto is_header = [&] {
        return (also.empty() || has(also)) &&
               std::ranges::any_of(wanted_, [this](const std::string& one) { return has(one); });
    };
    for (auto begin = source_.position(); read(columns_); begin = source_.position()) {
        for (const char separator : {',', ';', '\t'}) {
            separator_ = separator;
            divide(columns_);
            if (columns_.size() > 1 && is_header()) {
                book_rows_before(begin);
                return true;
            }
        }
        separator_ = ',';
    }
    return false;
}

// Another table may precede the wanted one: its header begins with the same column.
void CsvTable::book_rows_before(std::uint64_t end) {
    ByteSource source(source_.file());
    Ledger unused;
    CsvTable scout(source, unused);
    scout.separator_ = separator_;
    bool is_table = false;
    while (source.position() < end && scout.read(scout.row_)) {
        const bool is_header = scout.row_.front() == columns_.front();
        if (is_table && !is_header && scout.row_.size() > 1) {
            ledger_.meet();
            ledger_.leave_out(LeftOutReason::other_table);
        }
        is_table = is_table || is_header;
    }
}

void CsvTable::learn_numbers(const std::function<bool(std::string_view)>& is_number) {
    ByteSource source(source_.file());
    Ledger unused;
    CsvTable scout(source, unused);
    scout.columns_ = columns_;
    scout.separator_ = separator_;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (is_number(columns_[i])) {
            places.push_back(i);
        }
    }
    while (scout.next()) {
        for (const std::size_t place : places) {
            const std::string_view text = scout.row_[place];
            const auto end =
                text.find_first_of("%ABCDFGHIJKLMNOPQRSTUVWXYZabcdfghijklmnopqrstuvwxyz");
            style_.learn(text.substr(0, end));
        }
    }
}

// Whether the current line belongs to the table. A line of one field is the program's, unless it
// begins like a truncated row.
bool CsvTable::is_row() {
    const bool is_text = row_.size() == 1 && !line_.starts_with('"');
    if (line_.starts_with("==") || is_text || row_ == columns_) {
        is_other_table_ = is_other_table_ && row_ != columns_;
        return false;
    }
    if (row_.front() == columns_.front() && !row_.front().empty()) {
        is_other_table_ = true;
        return false;
    }
    return true;
}

bool CsvTable::next() {
    while (read(row_)) {
        if (!is_row()) {
            continue;
        }
        ledger_.meet();
        if (is_other_table_) {
            ledger_.leave_out(LeftOutReason::other_table);
        } else if (row_.size() != columns_.size() || ends_in_quotes_) {
            ledger_.leave_out(LeftOutReason::broken_row);
        } else {
            return true;
        }
    }
    return false;
}

bool CsvTable::next_units(std::string_view column) {
    const bool is_there = read(row_) && row_.size() == columns_.size();
    if (is_there && number(at(column))) {
        ledger_.meet();
        ledger_.leave_out(LeftOutReason::unknown_unit, "no row of units");
        row_.assign(columns_.size(), "none stated");
    }
    return is_there;
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

std::string_view CsvTable::column_with(std::string_view prefix) const {
    const auto found = std::ranges::find_if(
        columns_, [&](const std::string& column) { return column.starts_with(prefix); });
    return found == columns_.end() ? std::string_view() : std::string_view(*found);
}

std::string_view CsvTable::at_prefix(std::string_view prefix) const {
    return at(column_with(prefix));
}

TableTime CsvTable::time_in(std::string_view text, std::string_view unit_name) const {
    text = trim(text);
    const auto unit = time_unit(unit_name);
    if (text.empty() || text == "n/a" || text == "-") {
        return {};
    }
    if (!unit) {
        return {.why = LeftOutReason::unknown_unit, .what = std::string(unit_name)};
    }
    const auto plain = style_.plain(text);
    if (!plain) {
        return {.why = LeftOutReason::unclear_number, .what = std::string(text)};
    }
    return {.time = parse_time(*plain, *unit), .why = LeftOutReason::implausible_time};
}

std::string_view unit_in_name(std::string_view column) {
    const auto open = column.rfind('(');
    const auto close = column.rfind(')');
    return open == column.npos || close == column.npos || close < open
               ? std::string_view()
               : column.substr(open + 1, close - open - 1);
}

std::uint32_t whole_of(std::string_view text) {
    return parse_count(text).value_or(0);
}

void KernelRows::add(KernelRow row) {
    if (row.name.empty()) {
        ledger().leave_out(LeftOutReason::nameless, {}, row.time.time, row.records);
        return;
    }
    RecordedOperator one{.name = profile_.texts.id_of(row.name),
                         .scope = row.scope,
                         .implementation = row.implementation,
                         .stream = row.stream,
                         .start = row.start.value_or(now_)};
    if (!row.device.empty()) {
        one.device =
            device_place(profile_.devices,
                         {.name = row.device_name, .number = row.device, .process = row.process});
    }
    if (!row.time.time && row.time.why == LeftOutReason::no_time && !row.counters.empty()) {
        untimed_.push_back({one, std::move(row.counters), row.records});
        return;
    }
    if (!row.time.time || !is_plausible(*row.time.time)) {
        const bool is_number = row.time.time.has_value();
        ledger().leave_out(is_number ? LeftOutReason::implausible_time : row.time.why,
                           row.time.what, {}, row.records);
        return;
    }
    one.time = *row.time.time;
    now_ = one.start + one.time;
    ledger().use(one.time);
    ledger().use_as_context({}, row.records - 1);
    const auto place = static_cast<std::uint32_t>(profile_.operators.size());
    profile_.operators.push_back(one);
    if (!row.counters.empty()) {
        profile_.counters[place] = std::move(row.counters);
    }
    if (row.start) {
        profile_.spans.push_back({.span = {.kind = row.kind,
                                           .name = std::string(profile_.texts[one.name]),
                                           .stream = row.stream,
                                           .start = one.start,
                                           .end = one.start + one.time,
                                           .launch = row.launch},
                                  .launched_by = place,
                                  .device = one.device});
    }
}

void KernelRows::take_untimed() {
    profile_.has_times = !profile_.operators.empty() || untimed_.empty();
    for (Untimed& untimed : untimed_) {
        if (profile_.has_times) {
            ledger().leave_out(LeftOutReason::no_time, profile_.texts[untimed.one.name], {},
                               untimed.records);
            continue;
        }
        const auto place = static_cast<std::uint32_t>(profile_.operators.size());
        profile_.operators.push_back(untimed.one);
        profile_.counters[place] = std::move(untimed.counters);
        ledger().use(Nanoseconds::zero());
        ledger().use_as_context({}, untimed.records - 1);
    }
}

RecordedProfile KernelRows::finish(const ByteSource& source) {
    const bool has_times = !profile_.operators.empty();
    take_untimed();
    if (!has_times && !profile_.operators.empty()) {
        profile_.doubts.emplace_back("the file has counters but no times");
    }
    if (ledger().met() == 0) {
        throw Error(
            fmt::format("'{}' has no kernel in its table; record it again, with its first lines",
                        source.name()));
    }
    profile_.has_starts = !profile_.spans.empty();
    sort_by_start();
    return std::move(profile_);
}

void KernelRows::sort_by_start() {
    if (!profile_.has_starts || profile_.spans.size() != profile_.operators.size()) {
        return;
    }
    std::ranges::stable_sort(profile_.spans, {},
                             [](const RecordedSpan& one) { return one.span.start; });
    std::vector<RecordedOperator> sorted;
    std::map<std::uint32_t, RecordedCounters> counters;
    for (RecordedSpan& one : profile_.spans) {
        const auto place = static_cast<std::uint32_t>(sorted.size());
        sorted.push_back(profile_.operators[one.launched_by]);
        if (const auto found = profile_.counters.find(one.launched_by);
            found != profile_.counters.end()) {
            counters.emplace(place, std::move(found->second));
        }
        one.launched_by = place;
    }
    profile_.operators = std::move(sorted);
    profile_.counters = std::move(counters);
}

}  // namespace strata
