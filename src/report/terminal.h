// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace strata {

// The terminal's abilities. The default suits a pipe: any width, no colour, plain ASCII.
struct TerminalStyle {
    std::size_t width = 0;  // columns; 0: unlimited
    bool colour = false;    // bold, dim and coloured bars by ANSI sequences
    bool unicode = false;   // lines, block characters, "±"
};

// The document as text: tables with aligned numbers, bars as lines of blocks, points and lines in a
// field of letters, a roofline as a table of roofs and points. A table that is too wide drops its
// details, then shortens its texts or, at the end of a line, wraps them, and says so.
std::string render_terminal(const Document& document, const TerminalStyle& style);

// The text in bold or dim, if the style has colour.
std::string bold(std::string_view text, const TerminalStyle& style);
std::string dim(std::string_view text, const TerminalStyle& style);

// The text in the colour of a chart's series, if the style has colour. Four colours repeat in turn.
std::string coloured(std::string_view text, std::size_t series, const TerminalStyle& style);

// Text for this terminal: clean, and in ASCII if the terminal supports nothing else.
std::string adapted(std::string_view text, const TerminalStyle& style);

}  // namespace strata
