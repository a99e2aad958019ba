// SPDX-License-Identifier: MIT
#include "view/reproduction.h"

#include "base/enumeration.h"
#include "base/text.h"
#include "view/cells.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

std::vector<Cell> row_of(const Comparison& comparison) {
    const PublishedNumber& number = comparison.number;
    const bool explained = comparison.verdict == Verdict::differs;
    return {number.name,
            count_cell(number.published),
            optional_cell(number.exact, count_cell),
            count_cell(comparison.ours),
            count_cell(difference_of(comparison)),
            count_cell(number.tolerance),
            std::string(name_of(comparison.verdict)),
            explained ? number.differs : std::string()};
}

// "21 numbers: 20 equal, 1 differs."
std::string tally(const Reproduced& reproduced) {
    std::vector<std::string> parts;
    for (const auto verdict :
         {Verdict::equal, Verdict::within, Verdict::differs, Verdict::unexplained}) {
        const auto count =
            std::ranges::count(reproduced.comparisons, verdict, &Comparison::verdict);
        if (count > 0) {
            parts.push_back(fmt::format("{} {}", count, name_of(verdict)));
        }
    }
    return fmt::format("{} numbers: {}.", reproduced.comparisons.size(), join(parts, ", "));
}

bool is_empty(const Cell& cell) {
    const auto* text = std::get_if<std::string>(&cell);
    return std::holds_alternative<Missing>(cell) || (text != nullptr && text->empty());
}

// Columns that say nothing of any number here.
void drop_empty_columns(Table& table) {
    for (std::size_t i = table.columns.size(); i-- > 0;) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        if (std::ranges::all_of(table.rows, [&](const auto& row) { return is_empty(row[i]); })) {
            table.columns.erase(table.columns.begin() + at);
            for (auto& row : table.rows) {
                row.erase(row.begin() + at);
            }
        }
    }
}

Table table_of(const Reproduced& reproduced) {
    const Reproduction& reproduction = reproduced.reproduction;
    Table table;
    table.title = fmt::format("{}: {}", reproduction.name, reproduction.title);
    table.columns = {{"quantity", "quantity", Importance::essential},
                     {"published", "published", Importance::essential},
                     {"in_full", "in full", Importance::detail},
                     {"ours", "ours", Importance::essential},
                     {"difference", "difference", Importance::essential},
                     {"tolerance", "tolerance", Importance::detail},
                     {"verdict", "verdict", Importance::essential},
                     {"why", "why", Importance::normal}};
    for (const Comparison& comparison : reproduced.comparisons) {
        table.rows.push_back(row_of(comparison));
    }
    drop_empty_columns(table);
    table.notes = {"Source: " + reproduction.source};
    for (const std::string& remark : reproduction.remarks) {
        table.notes.push_back("Inconsistent: " + remark);
    }
    table.notes.push_back(tally(reproduced));
    return table;
}

}  // namespace

Document reproductions_document(std::span<const Reproduction> reproductions) {
    Table table;
    table.columns = {{"name", "name", Importance::essential},
                     {"numbers", "numbers", Importance::normal},
                     {"what", "what", Importance::essential},
                     {"source", "source", Importance::detail}};
    for (const Reproduction& reproduction : reproductions) {
        table.rows.push_back({reproduction.name,
                              count_cell(static_cast<double>(reproduction.numbers.size())),
                              reproduction.title, reproduction.source});
    }
    return {"published numbers that strata counts itself", {std::move(table)}};
}

Document reproduced_document(std::span<const Reproduced> reproduced) {
    Document document{"published numbers and ours", {}};
    for (const Reproduced& one : reproduced) {
        document.blocks.emplace_back(table_of(one));
    }
    return document;
}

}  // namespace strata
