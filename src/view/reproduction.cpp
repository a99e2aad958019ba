// SPDX-License-Identifier: MIT
#include "view/reproduction.h"

#include "base/enumeration.h"
#include "base/text.h"
#include "view/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace strata {

namespace {

std::vector<Cell> row_of(const Reproduction& reproduction, const ComparedNumber& comparison) {
    return {reproduction.name,
            comparison.quantity,
            std::string(name_of(comparison.basis)),
            comparison.where,
            count_cell(comparison.published),
            count_cell(comparison.ours),
            count_cell(comparison.ours - comparison.published),
            count_cell(comparison.tolerance),
            std::string(name_of(comparison.method)),
            std::string(name_of(comparison.verdict)),
            comparison.reason};
}

// "18 equal, 2 differ"
std::string verdicts_of(const Tally& tally) {
    constexpr std::array words = {"equal", "within tolerance", "differ", "unexplained"};
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (tally.verdicts[i] > 0) {
            const bool one_differs = tally.verdicts[i] == 1 && words[i] == words[2];
            parts.push_back(
                fmt::format("{} {}", tally.verdicts[i], one_differs ? "differs" : words[i]));
        }
    }
    return join(parts, ", ");
}

// The words that follow a count of numbers.
constexpr std::string_view phrase_for(Basis basis) {
    return basis == Basis::artifact ? "from artifacts" : name_of(basis);
}

constexpr std::string_view ours_phrase(Method method) {
    return method == Method::modelled   ? ", ours modelled"
           : method == Method::computed ? ", ours computed from released results"
                                        : "";
}

// "20 printed: 18 equal, 2 differ; 5 digitised, ours modelled: 5 within tolerance."
std::string closing_line(std::span<const Reproduced> reproduced) {
    std::vector<std::string> parts;
    for (const Tally& tally : tallies_of(reproduced)) {
        const auto count =
            std::accumulate(tally.verdicts.begin(), tally.verdicts.end(), std::size_t{0});
        parts.push_back(fmt::format("{} {}{}: {}", count, phrase_for(tally.basis),
                                    ours_phrase(tally.method), verdicts_of(tally)));
    }
    return join(parts, "; ") + ".";
}

bool is_empty(const Cell& cell) {
    const auto* text = std::get_if<std::string>(&cell);
    return std::holds_alternative<Missing>(cell) || (text != nullptr && text->empty());
}

// Hides columns that are empty for every number; data keeps them.
void hide_empty_columns(Table& table) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (std::ranges::all_of(table.rows, [&](const auto& row) { return is_empty(row[i]); })) {
            table.columns[i].audience = Audience::data;
        }
    }
}

Table table_of(const Reproduced& reproduced) {
    const Reproduction& reproduction = reproduced.reproduction;
    Table table{.records = "numbers"};
    table.title = fmt::format("{}: {}", reproduction.name, reproduction.title);
    table.columns = {data_column("reproduction"),
                     {"quantity", "quantity", Importance::essential},
                     {"basis", "basis", Importance::essential},
                     {"where", "where", Importance::detail},
                     {"published", "published", Importance::essential},
                     {"ours", "ours", Importance::essential},
                     {"difference", "difference", Importance::normal},
                     {"tolerance", "tolerance", Importance::detail},
                     {"method", "ours is", Importance::normal},
                     {"agreement", "agreement", Importance::essential},
                     {"reason", "why", Importance::normal}};
    for (const ComparedNumber& comparison : reproduced.comparisons) {
        table.rows.push_back(row_of(reproduction, comparison));
    }
    hide_empty_columns(table);
    table.notes = {"Source: " + reproduction.source};
    if (!reproduction.model.empty()) {
        table.notes.push_back("Modelled: " + reproduction.model);
    }
    for (const std::string& remark : reproduction.remarks) {
        table.notes.push_back("Remark: " + remark);
    }
    table.notes.push_back(closing_line({&reproduced, 1}));
    return table;
}

}  // namespace

Document reproductions_document(std::span<const Reproduction> reproductions,
                                std::span<const MeasuredFigure> figures,
                                std::span<const ModelledFigure> simulated) {
    Table table{.records = "reproductions"};
    table.columns = {{"name", "name", Importance::essential},
                     {"numbers", "numbers", Importance::normal},
                     {"what", "what", Importance::essential},
                     {"source", "source", Importance::detail}};
    for (const Reproduction& reproduction : reproductions) {
        table.rows.push_back({reproduction.name,
                              count_cell(static_cast<double>(reproduction.numbers.size())),
                              reproduction.title, reproduction.source});
    }
    for (const MeasuredFigure& figure : figures) {
        double bars = 0;
        for (const FigurePanel& panel : figure.panels) {
            bars += static_cast<double>(panel.bars.size());
        }
        table.rows.push_back(
            {figure.name, count_cell(bars), figure.title + " (measured here)", figure.source});
    }
    for (const ModelledFigure& figure : simulated) {
        table.rows.push_back(
            {figure.name,
             count_cell(static_cast<double>(figure.panels.size() * figure.layers.size() +
                                            figure.findings.size())),
             figure.title + " (simulated)", figure.source});
    }
    return {.title = "published numbers that strata counts, measures or simulates itself",
            .blocks = {std::move(table)},
            .kind = "list"};
}

Document reproduced_document(std::span<const Reproduced> reproduced) {
    Document document{.title = "published numbers and ours", .kind = "reproduce"};
    for (const Reproduced& one : reproduced) {
        document.blocks.emplace_back(table_of(one));
    }
    if (reproduced.size() > 1) {
        document.blocks.emplace_back(Paragraph{"In all, " + closing_line(reproduced)});
    }
    return document;
}

}  // namespace strata
