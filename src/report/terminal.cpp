// SPDX-License-Identifier: MIT
#include "report/terminal.h"

#include "report/format.h"
#include "report/table_text.h"
#include "report/terminal_blocks.h"
#include "report/unicode.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

std::string heading(std::string_view text, const TerminalStyle& style) {
    const std::string shown = adapted(text, style);
    const std::string_view rule = style.unicode ? "─" : "-";
    return bold(shown, style) + "\n" + dim(repeat(rule, display_width(shown)), style) + "\n";
}

std::string wrapped(std::string_view text, const TerminalStyle& style,
                    std::string_view indent = "") {
    const std::string shown = adapted(text, style);
    return style.width == 0 ? shown : wrap(shown, style.width, indent);
}

std::string value_text(const Cell& cell) {
    if (const auto* missing = std::get_if<Missing>(&cell); missing && !missing->reason.empty()) {
        return "– (" + missing->reason + ")";
    }
    return cell_text(cell);
}

// One block as text, with a newline at its end.
class TerminalBlockWriter {
public:
    explicit TerminalBlockWriter(const TerminalStyle& style) : style_(style) {}

    std::string operator()(const Heading& block) const { return heading(block.text, style_); }
    std::string operator()(const Lead& block) const {
        return bold(wrapped(block.text, style_), style_) + "\n";
    }
    std::string operator()(const Paragraph& block) const {
        return wrapped(block.text, style_) + "\n";
    }
    std::string operator()(const Ranking& block) const {
        std::string lines;
        for (std::size_t i = 0; i < block.items.size(); ++i) {
            lines += wrapped(fmt::format("{}. {}", i + 1, block.items[i]), style_, "   ") + "\n";
            if (!block.command(i).empty()) {  // whole on its line, to be copied
                lines += "   try: " + bold(adapted(block.command(i), style_), style_) + "\n";
            }
        }
        return lines;
    }
    std::string operator()(const Doubts& block) const {
        std::string lines;
        for (const auto& [kind, sentence] : block.doubts) {
            const std::string what = kind.empty() ? "doubt: " : "doubt (" + kind + "): ";
            lines += wrapped(what + sentence, style_, "  ") + "\n";
        }
        return lines;
    }
    std::string operator()(const Tiles& block) const {
        std::size_t widest = 0;
        for (const auto& tile : block.tiles) {
            widest = std::max(widest, display_width(adapted(tile.label, style_)));
        }
        std::string lines;
        for (const auto& tile : block.tiles) {
            const std::string label = adapted(tile.label, style_);
            lines += dim(label, style_) + repeat(" ", widest - display_width(label)) + "  " +
                     bold(adapted(value_text(tile.value), style_), style_);
            lines += (tile.detail.empty() ? "" : ", " + adapted(tile.detail, style_)) + "\n";
        }
        return lines;
    }
    std::string operator()(const Table& block) const { return terminal_table(block, style_); }
    std::string operator()(const StackedBars& block) const { return terminal_bars(block, style_); }
    std::string operator()(const RooflineChart& block) const {
        return terminal_roofline(block, style_);
    }
    std::string operator()(const XyChart& block) const { return terminal_xy(block, style_); }

private:
    const TerminalStyle& style_;
};

std::string escaped(std::string_view code, std::string_view text, const TerminalStyle& style) {
    if (!style.colour || text.empty()) {
        return std::string(text);
    }
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace

std::string bold(std::string_view text, const TerminalStyle& style) {
    return escaped("1", text, style);
}

std::string dim(std::string_view text, const TerminalStyle& style) {
    return escaped("2", text, style);
}

std::string coloured(std::string_view text, std::size_t series, const TerminalStyle& style) {
    constexpr std::array<std::string_view, 4> colours = {"34", "33", "32", "35"};
    return text.empty() ? "" : escaped(colours[series % colours.size()], text, style);
}

std::string adapted(std::string_view text, const TerminalStyle& style) {
    const std::string clean = clean_text(text);
    return style.unicode ? clean : to_ascii(clean);
}

std::string render_terminal(const Document& document, const TerminalStyle& style) {
    std::string text;
    if (!document.title.empty()) {
        text += bold(wrapped(document.title, style), style) + "\n";
    }
    for (const auto& block : document.blocks) {
        if (is_for_data_alone(block)) {
            continue;
        }
        text += text.empty() ? "" : "\n";
        text += std::visit(TerminalBlockWriter(style), block);
    }
    return text;
}

}  // namespace strata
