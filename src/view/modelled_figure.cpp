// SPDX-License-Identifier: MIT
#include "view/modelled_figure.h"

#include "base/text.h"

#include <fmt/format.h>

#include <cmath>

namespace strata {

namespace {

Cell figure_value(double value, Provenance provenance) {
    return Number{.value = value, .provenance = provenance};
}

Table layers_of_figure(const ModelledFigure& figure, std::span<const ComparedMeasure> panels) {
    Table table{.title = fmt::format("{}: {}", figure.name, figure.title),
                .columns = {data_column("reproduction"),
                            {"panel", "panel", Importance::essential},
                            {"batch", "batch", Importance::detail},
                            {"layer", "layer", Importance::essential},
                            {"published", "published", Importance::essential},
                            {"ours", "ours", Importance::essential}},
                .notes = {"Source: " + figure.source,
                          fmt::format("Ours are modelled: `strata simulate {} --device {}`. Rates "
                                      "in GB/s, shares and hit rates in %.",
                                      figure.network, figure.device)},
                .records = "figure_layers"};
    for (const std::string& remark : figure.remarks) {
        table.notes.push_back("Remark: " + remark);
    }
    for (const ComparedMeasure& panel : panels) {
        for (const ComparedLayer& layer : panel.layers) {
            table.rows.push_back(
                {figure.name, panel.panel.name,
                 figure_value(static_cast<double>(panel.panel.batch), Provenance::derived),
                 layer.layer, figure_value(layer.published, Provenance::derived),
                 layer.ours ? figure_value(*layer.ours, Provenance::modelled)
                            : Cell(Missing{"not simulated"})});
        }
    }
    return table;
}

// |ours / published - 1|, on average; nothing where one is missing.
std::optional<double> mean_error(const ComparedMeasure& panel) {
    double sum = 0;
    for (const ComparedLayer& layer : panel.layers) {
        if (!layer.ours || layer.published == 0) {
            return {};
        }
        sum += std::abs(*layer.ours / layer.published - 1);
    }
    return sum / static_cast<double>(panel.layers.size());
}

Table agreement_of(const ModelledFigure& figure, std::span<const ComparedMeasure> panels) {
    Table table{.columns = {data_column("reproduction"),
                            {"panel", "panel", Importance::essential},
                            {"batch", "batch", Importance::detail},
                            {"rank_correlation", "rank correlation", Importance::essential},
                            {"mean_error", "mean error", Importance::essential}},
                .notes = {"Rank correlation: Spearman's, of the layers. Mean error: of |ours / "
                          "published - 1|."},
                .records = "figure_panels"};
    for (const ComparedMeasure& panel : panels) {
        const auto error = mean_error(panel);
        table.rows.push_back(
            {figure.name, panel.panel.name,
             figure_value(static_cast<double>(panel.panel.batch), Provenance::derived),
             panel.rank_correlation ? figure_value(*panel.rank_correlation, Provenance::modelled)
                                    : Cell(Missing{"not all were simulated, or all are equal"}),
             error ? Cell(Number{
                         .value = 100 * *error, .unit = "%", .provenance = Provenance::modelled})
                   : Cell(Missing{"not all were simulated"})});
    }
    return table;
}

}  // namespace

Document modelled_figure_document(const ModelledFigure& figure,
                                  std::span<const ComparedMeasure> panels) {
    return {.title = figure.name,
            .blocks = {layers_of_figure(figure, panels), agreement_of(figure, panels)},
            .kind = "modelled-figure"};
}

}  // namespace strata
