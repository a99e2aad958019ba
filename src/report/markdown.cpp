// SPDX-License-Identifier: MIT
#include "report/render.h"

#include "report/chart_tables.h"
#include "report/format.h"
#include "report/table_text.h"
#include "report/unicode.h"

#include <algorithm>
#include <cctype>

namespace strata {

namespace {

bool is_word(std::string_view text, std::size_t at) {
    return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at]));
}

// Underscores inside a word have no meaning in Markdown; at its edge they would begin emphasis.
bool needs_backslash(std::string_view text, std::size_t at) {
    if (text[at] == '_') {
        return !is_word(text, at - 1) || !is_word(text, at + 1);
    }
    if (text[at] == ']') {  // brackets are a link only if a parenthesis follows
        return at + 1 < text.size() && std::string_view("([:").find(text[at + 1]) != text.npos;
    }
    return std::string_view("\\`*|#~$").find(text[at]) != std::string_view::npos;
}

std::string escaped(std::string_view text) {
    std::string safe;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (needs_backslash(text, i)) {
            safe += '\\';
        }
        safe += text[i] == '<'   ? "&lt;"
                : text[i] == '>' ? "&gt;"
                : text[i] == '&' ? "&amp;"
                                 : std::string(1, text[i]);
    }
    return safe;
}

std::string escaped_foreign(std::string_view text) {
    return escaped(clean_text(text));
}

std::string line_of(const std::vector<TextCell>& row) {
    std::string line = "|";
    for (const auto& cell : row) {
        line += " " + escaped(cell.whole()) + " |";
    }
    return line + "\n";
}

std::string header_of(const TableText& table) {
    std::string titles = "|", rules = "|";
    for (const auto& column : table.columns) {
        titles += " " + escaped(column.title) + " |";
        rules += column.numeric ? "---:|" : "---|";
    }
    return titles + "\n" + rules + "\n";
}

std::string markdown_of(const Table& table) {
    const TableText text = text_of(table);
    std::string lines = text.title.empty() ? "" : "**" + escaped(text.title) + "**\n\n";
    lines += header_of(text);
    for (const auto* rows : {&text.rows, &text.totals}) {
        for (const auto& row : *rows) {
            lines += line_of(row);
        }
    }
    for (const auto& note : text.notes) {
        lines += "\n" + escaped(note) + "\n";
    }
    return lines;
}

std::string markdown_of(const Heading& block) {
    return "## " + escaped_foreign(block.text) + "\n";
}

std::string markdown_of(const Lead& block) {
    return "**" + escaped_foreign(block.text) + "**\n";
}

std::string markdown_of(const Paragraph& block) {
    return escaped_foreign(block.text) + "\n";
}

std::string markdown_of(const Ranking& block) {
    std::string lines;
    for (std::size_t i = 0; i < block.items.size(); ++i) {
        lines += std::to_string(i + 1) + ". " + escaped_foreign(block.items[i]) + "\n";
        if (!block.command(i).empty()) {
            lines += "   Try: " + escaped_foreign(block.command(i)) + "\n";
        }
    }
    return lines;
}

std::string markdown_of(const Doubts& block) {
    std::string lines;
    for (const auto& [kind, sentence] : block.doubts) {
        lines += "- " + (kind.empty() ? "" : "**" + escaped_foreign(kind) + "**: ") +
                 escaped_foreign(sentence) + "\n";
    }
    return lines;
}

std::string markdown_of(const Tiles& block) {
    Table table{.columns = {{"label", ""}, {"value", ""}}};
    const bool detailed = std::ranges::any_of(
        block.tiles, [](const Tiles::Tile& tile) { return !tile.detail.empty(); });
    if (detailed) {
        table.columns.push_back({"detail", ""});
    }
    for (const auto& tile : block.tiles) {
        auto& row = table.rows.emplace_back(std::vector<Cell>{tile.label, tile.value});
        if (detailed) {
            row.emplace_back(tile.detail);
        }
    }
    return markdown_of(table);
}

std::string markdown_of(const StackedBars& block) {
    return markdown_of(table_of(block));
}

std::string markdown_of(const RooflineChart& block) {
    std::string text;
    for (const auto& table : tables_of(block)) {
        text += (text.empty() ? "" : "\n") + markdown_of(table);
    }
    return text;
}

std::string markdown_of(const XyChart& block) {
    return markdown_of(table_of(block));
}

}  // namespace

std::string render_markdown(const Document& document) {
    std::string text;
    if (!document.title.empty()) {
        text += "# " + escaped_foreign(document.title) + "\n";
    }
    for (const auto& block : document.blocks) {
        if (is_for_data_alone(block)) {
            continue;
        }
        text += text.empty() ? "" : "\n";
        text += std::visit([](const auto& one) { return markdown_of(one); }, block);
    }
    return text;
}

}  // namespace strata
