// SPDX-License-Identifier: MIT
#include "networks/text_cursor.h"

#include "base/error.h"
#include "base/text.h"
#include "networks/text.h"
#include "op/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

bool is_bare(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') ||
           std::string_view("_./:-").find(character) != std::string_view::npos;
}

// The length of the quoted text at the start of `text`, both quotes included; 0 if the closing
// quote is missing.
std::size_t quoted_length(std::string_view text) {
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '\\') {
            ++i;
        } else if (text[i] == '"') {
            return i + 1;
        }
    }
    return 0;
}

}  // namespace

std::string name_text(const std::string& name) {
    return !name.empty() && std::ranges::all_of(name, is_bare) ? name : attribute_text(name);
}

std::string_view TextCursor::take(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
}

bool TextCursor::at_end() {
    rest_ = trim(rest_);
    return rest_.empty();
}

bool TextCursor::next_is(std::string_view symbol) {
    rest_ = trim(rest_);
    return rest_.starts_with(symbol);
}

bool TextCursor::accept(std::string_view symbol) {
    const bool taken = next_is(symbol);
    take(taken ? symbol.size() : 0);
    return taken;
}

void TextCursor::expect(std::string_view symbol) {
    if (!accept(symbol)) {
        throw Error(at_end() ? fmt::format("the line ends where '{}' is missing; add it", symbol)
                             : fmt::format("'{}' is missing before \"{}\"; add it", symbol,
                                           printable(rest_, 40)));
    }
}

bool TextCursor::is_quoted() {
    return !at_end() && rest_.front() == '"';
}

std::string TextCursor::quoted_name(std::string_view what) {
    std::string name;
    const std::string_view quoted = take(quoted_length(rest_));
    if (!read_attribute(quoted, name)) {
        throw Error(
            fmt::format("the name of {} has no end or a broken escape; close it with '\"' "
                        "and write \\\\, \\\" or \\xHH",
                        what));
    }
    return name;
}

std::string TextCursor::name(std::string_view what) {
    std::string name;
    if (is_quoted()) {
        name = quoted_name(what);
    } else {
        const auto end = std::ranges::find_if_not(rest_, is_bare);
        name = take(static_cast<std::size_t>(end - rest_.begin()));
    }
    if (name.empty()) {
        throw Error(at_end()
                        ? fmt::format("the line ends where the name of {} is missing; add it", what)
                        : fmt::format("the name of {} is missing before \"{}\"; add it", what,
                                      printable(rest_, 40)));
    }
    if (name.size() > max_graph_name) {
        throw Error(fmt::format("the name \"{}\" has {} bytes; use at most {}", printable(name, 40),
                                name.size(), max_graph_name));
    }
    return name;
}

std::string_view TextCursor::word(std::string_view what) {
    if (at_end()) {
        throw Error(fmt::format("the line ends where {} is missing; add it", what));
    }
    return take(std::min(rest_.find_first_of(" \t,="), rest_.size()));
}

std::string_view TextCursor::rest() {
    return take(rest_.size());
}

}  // namespace strata
