// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace strata {

// A name as written in a line: bare if that is unambiguous, otherwise quoted.
std::string name_text(const std::string& name);

// Reads one line of a network's text from left to right, skipping blanks before each item. Throws
// Error without file and line; the caller adds them.
class TextCursor {
public:
    explicit TextCursor(std::string_view line) : rest_(line) {}

    bool at_end();

    bool next_is(std::string_view symbol);

    // Takes the symbol if it is next.
    bool accept(std::string_view symbol);

    // Takes the symbol, or throws that it is missing.
    void expect(std::string_view symbol);

    // A name, bare or quoted. The error message calls it `what`.
    std::string name(std::string_view what);

    // Whether the next item is a quoted name.
    bool is_quoted();

    // Characters up to a blank, a comma or an equals sign.
    std::string_view word(std::string_view what);

    // The rest of the line.
    std::string_view rest();

private:
    std::string_view take(std::size_t count);
    std::string quoted_name(std::string_view what);

    std::string_view rest_;
};

}  // namespace strata
