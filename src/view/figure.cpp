// SPDX-License-Identifier: MIT
#include "view/figure.h"

#include "base/enumeration.h"
#include "base/text.h"
#include "view/algorithms.h"
#include "view/cells.h"
#include "view/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace strata {

namespace {

Cell value_cell(double value, const FigurePanel& panel, Provenance provenance) {
    return number_cell(value, panel.quantity == FigureQuantity::time ? "s" : "B", provenance);
}

Cell our_cell(const ComparedBar& bar, const FigurePanel& panel) {
    const bool is_time = panel.quantity == FigureQuantity::time;
    return optional_cell(
        bar.ours,
        [&](double ours) {
            return value_cell(ours, panel, is_time ? Provenance::measured : Provenance::derived);
        },
        "not measured");
}

// A bar of a published figure beside ours.
struct ShownBar {
    const MeasuredFigure& figure;
    const FigurePanel& panel;
    const ComparedBar& bar;
};

const Columns<ShownBar>& columns_of_bars() {
    static const Columns<ShownBar> all = {
        {data_column("reproduction"), [](auto& row) { return row.figure.name; }},
        {{"panel", "panel", Importance::essential}, [](auto& row) { return row.panel.name; }},
        {data_column("batch"), [](auto& row) { return row.panel.batch; }},
        {{"bar", "bar", Importance::essential}, [](auto& row) { return row.bar.bar.name; }},
        {{"algorithm", "ours is"}, [](auto& row) { return row.bar.bar.algorithm; }},
        {data_column("unit"),
         [](auto& row) { return row.panel.quantity == FigureQuantity::time ? "s" : "B"; }},
        {{"published", "published", Importance::essential},
         [](auto& row) {
             return value_cell(row.bar.bar.published, row.panel, Provenance::derived);
         }},
        {data_column("tolerance"),
         [](auto& row) { return value_cell(row.panel.tolerance, row.panel, Provenance::derived); }},
        {{"published_rank", "rank", Importance::essential},
         [](auto& row) { return row.bar.published_rank; }},
        {{"ours", "ours", Importance::essential},
         [](auto& row) { return our_cell(row.bar, row.panel); }},
        {{"our_rank", "our rank", Importance::essential},
         [](auto& row) { return row.bar.our_rank; }}};
    return all;
}

Table bars_table(const MeasuredFigure& figure, std::span<const ComparedPanel> panels) {
    std::vector<ShownBar> rows;
    for (const ComparedPanel& compared : panels) {
        for (const ComparedBar& bar : compared.bars) {
            rows.push_back({figure, compared.panel, bar});
        }
    }
    Table table = table_of(columns_of_bars(), rows,
                           {.title = fmt::format("{}: {}", figure.name, figure.title),
                            .notes = {"Source: " + figure.source},
                            .records = "bars"});
    for (const std::string& remark : figure.remarks) {
        table.notes.push_back("Remark: " + remark);
    }
    add_origin(table, Origin::measured);
    return table;
}

// "direct before gemm, fft = gemm"
std::string reversed_text(const ComparedPanel& compared) {
    std::vector<std::string> parts;
    for (const auto& [less, more, is_equal] : compared.reversed) {
        parts.push_back(fmt::format("{} {} {}", more, is_equal ? "=" : "before", less));
    }
    return join(parts, ", ");
}

Table orders_table(const MeasuredFigure& figure, std::span<const ComparedPanel> panels) {
    Table table{.title = "Are ours in the published order, smallest first?",
                .columns = {data_column("reproduction"),
                            {"panel", "panel", Importance::essential},
                            {"order_agreement", "order", Importance::essential},
                            {"rank_correlation", "rank correlation", Importance::essential},
                            {"pairs", "pairs", Importance::essential},
                            {"reversed_pairs", "reversed", Importance::essential},
                            {"reversed", "ours have", Importance::essential}},
                .notes = {"Pairs: those whose published values differ by more than the reading "
                          "error of the figure. Ours are compared by their medians."},
                .records = "orders"};
    for (const ComparedPanel& compared : panels) {
        const bool is_known = compared.bars.front().our_rank.has_value();
        table.rows.push_back(
            {figure.name, compared.panel.name, std::string(name_of(compared.agreement)),
             optional_cell(compared.rank_correlation,
                           [](double value) { return number_cell(value, ""); }),
             is_known ? count_cell(static_cast<double>(compared.pairs)) : Cell(Missing{}),
             is_known ? count_cell(static_cast<double>(compared.reversed.size())) : Cell(Missing{}),
             reversed_text(compared)});
    }
    return table;
}

// "Panels in the published order: 12; in another one: 3; unknown: 1."
std::string closing_line(std::span<const ComparedPanel> panels) {
    const auto count = [&](OrderAgreement agreement) {
        return std::ranges::count(panels, agreement, &ComparedPanel::agreement);
    };
    return fmt::format("Panels in the published order: {}; in another one: {}; unknown: {}.",
                       count(OrderAgreement::same), count(OrderAgreement::differs),
                       count(OrderAgreement::unknown));
}

std::string ours_text(std::span<const AlgorithmComparison> batches) {
    return fmt::format(
        "Ours are of {} on {}, {}: each convolution alone; an algorithm counts by its faster "
        "variant, and a matrix product replaces it where it does not apply.",
        printable(batches.front().network), printable(batches.front().device),
        batches.front().dtype);
}

}  // namespace

std::vector<Column> figure_columns() {
    return headings(columns_of_bars());
}

Document figure_document(const MeasuredFigure& figure, std::span<const ComparedPanel> panels,
                         std::span<const AlgorithmComparison> batches) {
    Document document{.kind = "figure"};
    document.blocks.emplace_back(bars_table(figure, panels));
    document.blocks.emplace_back(orders_table(figure, panels));
    document.blocks.emplace_back(Paragraph{closing_line(panels)});
    if (!batches.empty()) {
        document.blocks.emplace_back(Paragraph{ours_text(batches)});
        std::ranges::move(algorithm_charts(batches), std::back_inserter(document.blocks));
    }
    return document;
}

}  // namespace strata
