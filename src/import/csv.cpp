// SPDX-License-Identifier: MIT
#include "import/csv.h"

#include "base/text.h"

#include <algorithm>
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

}  // namespace strata
