// SPDX-License-Identifier: MIT
#include "view/modelled_figure.h"

#include "base/enumeration.h"
#include "base/text.h"
#include "record/run.h"
#include "view/cells.h"

#include <fmt/format.h>

#include <algorithm>
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

// |ours / published - 1|, on average; empty if one is missing.
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
                .notes = {"Rank correlation: Spearman's, over the layers. Mean error: the mean of "
                          "|ours / published - 1|."},
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

// "memory_throttle, memory_dependency" as people read it.
std::string text_of(const std::vector<StallReason>& stalls) {
    std::string text;
    for (const StallReason reason : stalls) {
        text += (text.empty() ? "" : ", ") + std::string(name_of(reason));
    }
    std::ranges::replace(text, '_', ' ');
    return text;
}

// Whether ours agrees, if something was published.
std::string verdict_of(const ComparedFinding& compared) {
    const PublishedFinding& finding = compared.finding;
    if (finding.measure == FindingMeasure::top_stalls) {
        return fmt::format("{} of {}", compared.agreeing, finding.stalls.size());
    }
    if (!finding.published || !compared.ours) {
        return "";
    }
    constexpr double within = 0.1;  // of the published number, or one percentage point of 0 %
    const double off = std::abs(*compared.ours - *finding.published);
    return off <= std::max(within * std::abs(*finding.published), *finding.published == 0 ? 1.0 : 0)
               ? "agrees"
               : "misses";
}

Table findings_of(const ModelledFigure& figure, std::span<const ComparedFinding> findings) {
    Table table{
        .title = fmt::format("{}: {}", figure.name, figure.title),
        .columns = {data_column("reproduction"),
                    {"finding", "finding", Importance::essential},
                    {"device", "device", Importance::essential},
                    {"published", "published", Importance::essential},
                    {"ours", "ours", Importance::essential},
                    {"verdict", "verdict", Importance::essential}},
        .notes =
            {"Source: " + figure.source,
             fmt::format(
                 "Ours are modelled: `strata simulate {} --device DEVICE --batch {}`. Stalls: how "
                 "many of the published reasons are among as many of our largest ones. Numbers "
                 "agree within a tenth of the published one, or one percentage point of 0 %.",
                 figure.network, figure.findings_batch)},
        .records = "findings"};
    for (const std::string& remark : figure.remarks) {
        table.notes.push_back("Remark: " + remark);
    }
    for (const ComparedFinding& compared : findings) {
        const PublishedFinding& finding = compared.finding;
        const bool is_of_stalls = finding.measure == FindingMeasure::top_stalls;
        const std::string device = finding.over.empty()
                                       ? finding.device
                                       : fmt::format("{} over {}", finding.device, finding.over);
        table.rows.push_back({figure.name, finding.name, device,
                              is_of_stalls ? Cell(text_of(finding.stalls))
                              : finding.published
                                  ? figure_value(*finding.published, Provenance::derived)
                                  : Cell(Missing{"not read from their chart"}),
                              is_of_stalls    ? Cell(text_of(compared.stalls))
                              : compared.ours ? figure_value(*compared.ours, Provenance::modelled)
                                              : Cell(Missing{"not simulated"}),
                              verdict_of(compared)});
    }
    return table;
}

}  // namespace

Document modelled_figure_document(const ModelledFigure& figure,
                                  std::span<const ComparedMeasure> panels,
                                  std::span<const ComparedFinding> findings) {
    Document document{.title = figure.name, .kind = "modelled-figure"};
    if (!panels.empty()) {
        document.blocks.emplace_back(layers_of_figure(figure, panels));
        document.blocks.emplace_back(agreement_of(figure, panels));
    }
    if (!findings.empty()) {
        document.blocks.emplace_back(findings_of(figure, findings));
    }
    for (Block& block : document.blocks) {
        add_origin(std::get<Table>(block), Origin::modelled);
    }
    return document;
}

}  // namespace strata
