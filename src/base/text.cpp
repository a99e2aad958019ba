// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <utf8proc.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

namespace strata {

CodePoint decode_utf8(std::string_view text) {
    utf8proc_int32_t value = 0;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                         static_cast<utf8proc_ssize_t>(text.size()), &value);
    if (length <= 0) {
        return {};
    }
    return {static_cast<char32_t>(value), static_cast<std::size_t>(length), true};
}

bool is_invisible_control(char32_t value) {
    const auto* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(value));
    switch (property->category) {
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
            return true;
        // A variation selector chooses a glyph of the character before it.
        case UTF8PROC_CATEGORY_MN:
            return false;
        default:
            return property->ignorable;
    }
}

bool is_blank(char32_t value) {
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(value))) {
        case UTF8PROC_CATEGORY_ZS:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
            return true;
        default:
            return (value >= '\t' && value <= '\r') || value == 0x85;
    }
}

std::size_t width_of(char32_t value) {
    return static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(value)));
}

bool is_plain_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char letter) { return letter >= ' ' && letter <= '~'; });
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n\f\v";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
    std::string whole;
    for (const auto& part : parts) {
        if (&part != parts.data()) {
            whole += separator;
        }
        whole += part;
    }
    return whole;
}

namespace {

template <class T>
std::optional<T> parse_whole(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

bool matches_one(std::string_view pattern, std::string_view name) {
    // Greedy matching that backtracks only to the last star: linear in practice, no recursion.
    std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
    while (n < name.size()) {
        if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n]) &&
            pattern[p] != '*') {
            ++p, ++n;
        } else if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++resume;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
    return parse_whole<std::int64_t>(text);
}

std::optional<double> parse_number(std::string_view text) {
    return parse_whole<double>(text);
}

bool matches_glob(std::string_view pattern, std::string_view name) {
    const auto alternatives = split(pattern, ',');
    return std::ranges::any_of(alternatives,
                               [&](std::string_view one) { return matches_one(one, name); });
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
    const std::string* best = nullptr;
    std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const auto& candidate : candidates) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = &candidate;
        }
    }
    return best ? std::optional(*best) : std::nullopt;
}

std::string printable(std::string_view foreign, std::size_t limit) {
    if (foreign.size() <= limit && is_plain_ascii(foreign)) {
        return std::string(foreign);  // as nearly all names are
    }
    std::string safe;
    while (!foreign.empty()) {
        const CodePoint point = decode_utf8(foreign);
        if (safe.size() + point.length > limit) {
            return safe + "…";
        }
        const bool shows = point.valid && !is_invisible_control(point.value);
        safe += shows ? foreign.substr(0, point.length) : std::string_view("?");
        foreign.remove_prefix(point.length);
    }
    return safe;
}

std::optional<std::string> field_of(std::string_view text, std::string_view name) {
    for (const auto line : split(text, '\n')) {
        const auto colon = line.find(':');
        if (colon != line.npos && trim(line.substr(0, colon)) == name) {
            return std::string(trim(line.substr(colon + 1)));
        }
    }
    return {};
}

}  // namespace strata
