// SPDX-License-Identifier: MIT
#include "report/unicode.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace strata {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

// Calls visit(piece, code point) for each character.
template <class Visitor>
void for_each_character(std::string_view text, Visitor&& visit) {
    while (!text.empty()) {
        const CodePoint point = decode_utf8(text);
        visit(text.substr(0, point.length), point);
        text.remove_prefix(point.length);
    }
}

// The longest prefix that fits the width.
std::string_view prefix_of_width(std::string_view text, std::size_t width) {
    std::size_t bytes = 0, columns = 0;
    bool full = false;
    for_each_character(text, [&](std::string_view piece, const CodePoint& point) {
        full = full || columns + width_of(point.value) > width;
        if (!full) {
            bytes += piece.size();
            columns += width_of(point.value);
        }
    });
    return text.substr(0, bytes);
}

// The longest suffix that fits the width.
std::string_view suffix_of_width(std::string_view text, std::size_t width) {
    std::size_t columns = display_width(text);
    while (columns > width) {
        const CodePoint point = decode_utf8(text);
        columns -= width_of(point.value);
        text.remove_prefix(point.length);
    }
    return text;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 27> spellings = {{
    {"±", "+-"}, {"–", "-"},  {"—", "-"},  {"µ", "u"},   {"…", "~"},  {"≥", ">="}, {"≤", "<="},
    {"×", "x"},  {"·", "."},  {"→", "->"}, {"≈", "~"},   {"⁰", "^0"}, {"¹", "^1"}, {"²", "^2"},
    {"³", "^3"}, {"⁴", "^4"}, {"⁵", "^5"}, {"⁶", "^6"},  {"⁷", "^7"}, {"⁸", "^8"}, {"⁹", "^9"},
    {"“", "\""}, {"”", "\""}, {"’", "'"},  {"Σ", "sum"}, {"─", "-"},  {"−", "-"},
}};

std::string_view spelled(std::string_view piece) {
    const auto* found =
        std::ranges::find(spellings, piece, &std::pair<std::string_view, std::string_view>::first);
    return found == spellings.end() ? "?" : found->second;
}

}  // namespace

std::string clean_text(std::string_view foreign) {
    if (is_plain_ascii(foreign)) {
        return std::string(foreign);
    }
    std::string clean;
    clean.reserve(foreign.size());
    for_each_character(foreign, [&](std::string_view piece, const CodePoint& point) {
        clean += !point.valid                        ? replacement
                 : is_blank(point.value)             ? " "
                 : is_invisible_control(point.value) ? "?"
                                                     : piece;
    });
    return clean;
}

std::size_t display_width(std::string_view text) {
    if (is_plain_ascii(text)) {
        return text.size();
    }
    std::size_t columns = 0;
    for_each_character(
        text, [&](std::string_view, const CodePoint& point) { columns += width_of(point.value); });
    return columns;
}

namespace {

constexpr std::string_view between_words = " _-.:,/+";

// The beginning without the truncated last word, unless that is most of it.
std::string_view to_end_of_word(std::string_view head) {
    const std::size_t last = head.find_last_of(between_words);
    return last == head.npos || last < head.size() / 2 ? head : head.substr(0, last + 1);
}

std::string_view from_begin_of_word(std::string_view tail) {
    const std::size_t first = tail.find_first_of(between_words);
    return first == tail.npos || first > tail.size() / 2 ? tail : tail.substr(first);
}

}  // namespace

std::string shorten(std::string_view text, std::size_t width) {
    if (display_width(text) <= width) {
        return std::string(text);
    }
    if (width == 0) {
        return {};
    }
    const std::size_t head = (width - 1) / 2;
    return std::string(to_end_of_word(prefix_of_width(text, head))) + "…" +
           std::string(from_begin_of_word(suffix_of_width(text, width - 1 - head)));
}

std::string wrap(std::string_view text, std::size_t width, std::string_view indent) {
    std::string lines;
    std::size_t column = 0;
    for (const auto word : split(text, ' ')) {
        const std::size_t needed = display_width(word);
        if (column > 0 && column + 1 + needed > width) {
            lines += '\n';
            lines += indent;
            column = display_width(indent);
        } else if (column > 0) {
            lines += ' ';
            ++column;
        }
        lines += word;
        column += needed;
    }
    return lines;
}

std::string to_ascii(std::string_view text) {
    if (is_plain_ascii(text)) {
        return std::string(text);
    }
    std::string ascii;
    for_each_character(text, [&](std::string_view piece, const CodePoint& point) {
        ascii += point.valid && point.value < 0x80 ? piece : spelled(piece);
    });
    return ascii;
}

std::string repeat(std::string_view text, std::size_t times) {
    if (text.size() == 1) {
        return std::string(times, text.front());  // blanks, mostly
    }
    std::string whole;
    whole.reserve(text.size() * times);
    for (std::size_t i = 0; i < times; ++i) {
        whole += text;
    }
    return whole;
}

}  // namespace strata
