// SPDX-License-Identifier: MIT
#include "analyze/algorithm_use.h"
#include "view/algorithms.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

using Value = std::optional<double> (*)(const LayerUse&);

// A bar for each algorithm, with a part for each layer. An algorithm that is unknown for one layer
// gets no bar: a shorter bar would look like less time.
StackedBars bars_of(const std::vector<AlgorithmUse>& uses, Value value) {
    StackedBars bars;
    for (const LayerUse& layer : uses.front().layers) {
        bars.series.push_back({.name = layer.layer});
    }
    for (const AlgorithmUse& use : uses) {
        bars.labels.push_back(use.algorithm);
        const bool is_whole = std::ranges::all_of(
            use.layers, [&](const LayerUse& layer) { return value(layer).has_value(); });
        for (std::size_t i = 0; i < bars.series.size(); ++i) {
            bars.series[i].values.push_back(is_whole ? value(use.layers[i]) : std::nullopt);
        }
    }
    return bars;
}

// Appends a chart, and says why some of its bars are missing.
void append(StackedBars bars, std::string_view why_missing, std::vector<Block>& charts) {
    std::size_t known = 0;
    for (std::size_t i = 0; i < bars.labels.size(); ++i) {
        known += bars.total(i) ? 1U : 0U;
    }
    const bool is_partial = known < bars.labels.size();
    if (known < 2) {
        return;
    }
    charts.emplace_back(std::move(bars));
    if (is_partial) {
        charts.emplace_back(Paragraph{std::string(why_missing)});
    }
}

StackedBars time_bars(const std::vector<AlgorithmUse>& uses, std::int64_t batch) {
    StackedBars bars = bars_of(uses, [](const LayerUse& layer) {
        return layer.time ? std::optional(layer.time->value) : std::nullopt;
    });
    bars.title = fmt::format(
        "Time of all passes by algorithm and layer, batch {} (direct where one does not apply)",
        batch);
    bars.unit = "s";
    return bars;
}

StackedBars operation_bars(std::vector<AlgorithmUse> uses, std::int64_t batch) {
    uses.pop_back();  // the fastest of each pass is not an algorithm
    StackedBars bars = bars_of(uses, [](const LayerUse& layer) {
        return layer.operations ? std::optional(layer.operations->value) : std::nullopt;
    });
    bars.title = fmt::format(
        "Operations of the forward pass by algorithm and layer, batch {} (direct where one does "
        "not apply)",
        batch);
    bars.unit = "FLOP";
    return bars;
}

XyChart::Series& series_named(const std::string& name, XyChart& chart) {
    const auto found = std::ranges::find(chart.series, name, &XyChart::Series::name);
    return found != chart.series.end()
               ? *found
               : chart.series.emplace_back(XyChart::Series{.name = name, .mark = Mark::joined});
}

// A line for each algorithm over the batch.
XyChart over_batch(std::span<const AlgorithmComparison> batches, XyChart::Axis y, std::string title,
                   std::optional<double> (*value)(const AlgorithmUse&)) {
    XyChart chart{.title = std::move(title),
                  .x = {.key = "batch", .title = "batch", .scale = AxisScale::logarithmic},
                  .y = std::move(y)};
    for (const AlgorithmComparison& comparison : batches) {
        chart.x.ticks.push_back(static_cast<double>(comparison.batch));
        for (const AlgorithmUse& use : uses_of(comparison)) {
            if (const auto known = value(use)) {
                series_named(use.algorithm, chart)
                    .points.push_back({.name = fmt::format("batch {}", comparison.batch),
                                       .x = static_cast<double>(comparison.batch),
                                       .y = *known});
            }
        }
    }
    return chart;
}

std::vector<Block> charts_over_batch(std::span<const AlgorithmComparison> batches) {
    return {
        over_batch(batches,
                   {.key = "time_s", .title = "time", .unit = "s", .scale = AxisScale::logarithmic},
                   "Time of all convolutions over the batch, by algorithm",
                   [](const AlgorithmUse& use) {
                       return use.time ? std::optional(use.time->value) : std::nullopt;
                   }),
        over_batch(batches,
                   {.key = "memory_bytes",
                    .title = "memory",
                    .unit = "B",
                    .scale = AxisScale::logarithmic},
                   "Memory of the network with the largest workspace over the batch",
                   [](const AlgorithmUse& use) { return std::optional(use.memory.value); })};
}

}  // namespace

std::vector<Block> algorithm_charts(std::span<const AlgorithmComparison> batches) {
    std::vector<Block> charts;
    for (const AlgorithmComparison& comparison : batches) {
        const std::vector<AlgorithmUse> uses = uses_of(comparison);
        if (uses.size() < 3) {
            continue;  // a single algorithm equals the fastest
        }
        append(time_bars(uses, comparison.batch),
               "–: neither the algorithm nor direct was measured in a pass of some layer.", charts);
        append(operation_bars(uses, comparison.batch),
               "–: the library does not say what its kernel executes.", charts);
    }
    if (batches.size() > 1 && !uses_of(batches.front()).empty()) {
        std::ranges::move(charts_over_batch(batches), std::back_inserter(charts));
    }
    return charts;
}

}  // namespace strata
