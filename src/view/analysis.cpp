// SPDX-License-Identifier: MIT
#include "view/analysis.h"

#include "base/enumeration.h"
#include "base/text.h"
#include "view/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace strata {

std::string runs_sentence(const AnalysedRuns& of) {
    std::vector<std::string> conditions;
    for (const std::string& condition : of.conditions) {
        conditions.push_back(printable(condition));
    }
    return fmt::format("Of {} stored runs{}.", of.stored,
                       conditions.empty() ? "" : ", those with " + join(conditions, " and "));
}

namespace {

Cell interval_cell(double value, const Interval& interval) {
    return Number{.value = value, .unit = {}, .low = interval.low, .high = interval.high};
}

double baseline_throughput(const SpeedupPair& pair) {
    return static_cast<double>(pair.baseline->batch) / pair.baseline->time->median.value;
}

std::string winner_sentence(const SpeedupFindings& found) {
    const SpeedupSummary summary = summary_of(found.pairs);
    const double share =
        static_cast<double>(summary.wins) / static_cast<double>(found.pairs.size());
    return fmt::format(
        "{} is faster in {} of {} networks ({:.1f} %): {:.3g} to {:.3g} times as fast, {:.3g} in "
        "the median.",
        printable(found.backend), summary.wins, found.pairs.size(), 100 * share, summary.smallest,
        summary.largest, summary.median);
}

// One series for each value of the hyperparameter that colours the points.
XyChart speedup_chart(const SpeedupFindings& found) {
    XyChart chart{
        .title = fmt::format("Speed-up over the throughput of {}{}", printable(found.baseline),
                             found.colour.empty() ? "" : ", by " + found.colour),
        .x = {.key = "baseline_examples_per_s",
              .title = "throughput of " + printable(found.baseline),
              .unit = "1/s",
              .scale = AxisScale::logarithmic},
        .y = {.key = "speedup", .title = "speed-up", .unit = {}, .scale = AxisScale::logarithmic}};
    std::map<double, XyChart::Series> series;
    for (const SpeedupPair& pair : found.pairs) {
        const double value = parameter_of(*pair.run, found.colour).value_or(0);
        XyChart::Series& one = series[value];
        one.name = found.colour.empty() ? "networks" : fmt::format("{} {}", found.colour, value);
        one.points.push_back(
            {.name = pair.run->network, .x = baseline_throughput(pair), .y = pair.speedup});
    }
    for (auto& [value, one] : series) {
        chart.series.push_back(std::move(one));
    }
    return chart;
}

Table pairs_table(const SpeedupFindings& found) {
    Table table =
        table_for_data({"network", "batch", "run", "baseline_run", "baseline_examples_per_s",
                        "speedup", "origin", "baseline_origin"},
                       "pairs");
    for (const SpeedupPair& pair : found.pairs) {
        table.rows.push_back(
            {printable(pair.run->network, 400), count_cell(static_cast<double>(pair.run->batch)),
             count_cell(static_cast<double>(pair.run->run)),
             count_cell(static_cast<double>(pair.baseline->run)),
             number_cell(baseline_throughput(pair), "1/s"), number_cell(pair.speedup, ""),
             std::string(name_of(pair.run->origin)), std::string(name_of(pair.baseline->origin))});
    }
    return table;
}

// One chart for each network and mode, with one line for each platform.
std::vector<XyChart> throughput_charts(std::span<const BatchSweep> sweeps) {
    std::map<std::string, XyChart> charts;
    for (const BatchSweep& sweep : sweeps) {
        const Observation& run = *sweep.first;
        const std::string title = fmt::format("{}, {}", printable(run.network), run.mode);
        XyChart& chart = charts
                             .try_emplace(title, XyChart{.title = title,
                                                         .x = {.key = "batch",
                                                               .title = "batch",
                                                               .unit = {},
                                                               .scale = AxisScale::logarithmic},
                                                         .y = {.key = "examples_per_s",
                                                               .title = "throughput",
                                                               .unit = "1/s",
                                                               .scale = AxisScale::logarithmic}})
                             .first->second;
        XyChart::Series& line = chart.series.emplace_back(
            XyChart::Series{.name = fmt::format("{}, {}", printable(run.backend), run.dtype),
                            .mark = Mark::joined});
        for (const BatchPoint& point : sweep.points) {
            line.points.push_back({.name = fmt::format("batch {}", point.batch),
                                   .x = static_cast<double>(point.batch),
                                   .y = point.throughput.median});
        }
    }
    std::vector<XyChart> found;
    for (auto& [title, chart] : charts) {
        found.push_back(std::move(chart));
    }
    return found;
}

}  // namespace

Document regression_document(const std::string& target,
                             std::span<const std::pair<std::string, Regression>> found,
                             const RegressionOptions& options, const AnalysedRuns& of) {
    Table table{.columns = {{"backend", "backend", Importance::essential},
                            {"hyperparameter", "hyperparameter", Importance::essential},
                            {.key = "weight",
                             .title = "weight",
                             .importance = Importance::essential,
                             .bounds = Bounds::interval},
                            {"runs", "runs", Importance::normal},
                            {"r_squared", "R²", Importance::essential}},
                .records = "weights"};
    std::vector<std::string> constant;
    for (const auto& [backend, regression] : found) {
        std::vector<RegressionTerm> terms = regression.terms;
        std::ranges::sort(terms, std::ranges::greater(),
                          [](const RegressionTerm& term) { return std::abs(term.weight); });
        for (const RegressionTerm& term : terms) {
            table.rows.push_back({printable(backend), printable(term.name),
                                  interval_cell(term.weight, term.interval),
                                  count_cell(static_cast<double>(regression.count)),
                                  number_cell(regression.r_squared, "")});
        }
    }
    table.notes = {fmt::format(
        "Linear regression of the {}, {}: its change in standard deviations for one standard "
        "deviation of the hyperparameter{}, largest first. 95 % intervals, assuming normal errors.",
        target, options.order > 1 ? "with squares and products" : "first order",
        options.scale == FeatureScale::log2 ? "'s binary logarithm" : "")};
    return {.title = "what moves the " + target,
            .blocks = {Paragraph{runs_sentence(of)}, std::move(table)},
            .kind = "analysis"};
}

Document correlation_document(std::span<const std::pair<std::string, WorkCorrelation>> correlations,
                              const AnalysedRuns& of) {
    Table table{.columns = {{"backend", "backend", Importance::essential},
                            {"runs", "runs", Importance::normal},
                            {.key = "correlation",
                             .title = "correlation",
                             .importance = Importance::essential,
                             .bounds = Bounds::interval},
                            {"slope", "slope", Importance::essential}},
                .records = "correlations"};
    for (const auto& [backend, found] : correlations) {
        table.rows.push_back({printable(backend), count_cell(static_cast<double>(found.count)),
                              interval_cell(found.correlation, found.interval),
                              number_cell(found.slope, "")});
    }
    table.notes = {
        "Pearson's correlation of the logarithms of time and operations, with Fisher's 95 % "
        "interval; slope: 1 if time is proportional to operations."};
    return {.title = "time and operations",
            .blocks = {Paragraph{runs_sentence(of)}, std::move(table)},
            .kind = "analysis"};
}

Document scaling_document(std::span<const ThreadSweep> sweeps, const AnalysedRuns& of) {
    Table table{.columns = {{"network", "network", Importance::essential},
                            {"backend", "backend", Importance::normal},
                            {"batch", "batch", Importance::normal},
                            {"threads", "threads", Importance::essential},
                            {"median_s", "time", Importance::essential},
                            {"amdahl_s", "by the law", Importance::normal},
                            {"serial_share", "serial share", Importance::essential, Audience::all,
                             Bounds::interval},
                            data_column("origin")},
                .records = "scaling"};
    for (const ThreadSweep& sweep : sweeps) {
        for (const ThreadPoint& point : sweep.points) {
            Number share{.value = 100 * sweep.fit->serial, .unit = "%", .low = {}, .high = {}};
            if (sweep.fit->interval) {
                share.low = 100 * sweep.fit->interval->low;
                share.high = 100 * sweep.fit->interval->high;
            }
            table.rows.push_back({printable(sweep.first->network), sweep.first->backend,
                                  count_cell(static_cast<double>(sweep.first->batch)),
                                  count_cell(point.threads),
                                  time_cell(point.time, times_of(sweep.first->origin)),
                                  time_cell(sweep.fit->at(point.threads)), share,
                                  std::string(name_of(sweep.first->origin))});
        }
    }
    table.notes = {
        "Amdahl's law, time(n) = time(1) (s + (1 - s) / n), by least squares of relative errors; "
        "s is the serial share. Its 95 % interval needs three numbers of threads."};
    return {.title = "what threads do not speed up",
            .blocks = {Paragraph{runs_sentence(of)}, std::move(table)},
            .kind = "analysis"};
}

Document batches_document(std::span<const BatchSweep> sweeps, const AnalysedRuns& of) {
    Table table{.columns = {{"network", "network", Importance::essential},
                            {"backend", "backend", Importance::essential},
                            {"mode", "mode", Importance::normal},
                            {"dtype", "type", Importance::normal},
                            {"largest_batch", "batches to", Importance::normal},
                            {"best_examples_per_s", "best throughput", Importance::essential},
                            {"best_batch", "at batch", Importance::essential},
                            {"saturated_batch", "saturated from", Importance::essential},
                            data_column("origin")},
                .records = "saturation"};
    for (const BatchSweep& sweep : sweeps) {
        const Observation& run = *sweep.first;
        const Saturation& found = sweep.saturation;
        const auto batch_cell = [](std::int64_t batch) {
            return count_cell(static_cast<double>(batch));
        };
        table.rows.push_back({printable(run.network, 400), printable(run.backend), run.mode,
                              run.dtype, batch_cell(sweep.points.back().batch),
                              number_cell(found.best.median, "1/s", derived_from(run.origin)),
                              batch_cell(found.best_batch),
                              found.reached
                                  ? batch_cell(found.batch)
                                  : Cell(Missing{"throughput may still rise with the batch"}),
                              std::string(name_of(run.origin))});
    }
    table.notes = {
        fmt::format("Saturated from: the smallest batch with {:.0f} % of the best throughput.",
                    100 * saturated_share)};
    Document document{.title = "throughput over batch",
                      .blocks = {Paragraph{runs_sentence(of)}, std::move(table)},
                      .kind = "analysis"};
    for (XyChart& chart : throughput_charts(sweeps)) {
        document.blocks.emplace_back(std::move(chart));
    }
    return document;
}

Document speedup_document(const SpeedupFindings& found, const AnalysedRuns& of) {
    Document document{
        .title = fmt::format("{} over {}", printable(found.backend), printable(found.baseline)),
        .kind = "analysis"};
    document.blocks.emplace_back(Lead{winner_sentence(found)});
    if (const auto split = winner_split(found.pairs, found.parameters)) {
        document.blocks.emplace_back(Paragraph{
            fmt::format("{} decides most: the platform wins {} of {} networks with {} of at least "
                        "{}, and {} of {} others.",
                        split->parameter, split->above_wins, split->above, split->parameter,
                        split->threshold, split->below_wins, split->below)});
    }
    document.blocks.emplace_back(speedup_chart(found));
    if (found.regression) {
        const std::pair<std::string, Regression> weights{found.backend, *found.regression};
        const Document regression =
            regression_document("speed-up", {&weights, 1}, found.regression_options, of);
        document.blocks.push_back(regression.blocks.back());
    }
    document.blocks.emplace_back(pairs_table(found));
    return document;
}

Document cost_document(std::span<const RunCost> costs, const AnalysedRuns& of) {
    Table table{.columns = {data_column("run"),
                            {"network", "network", Importance::essential},
                            {"batch", "batch", Importance::essential},
                            {"backend", "backend", Importance::essential},
                            {"examples_per_s", "throughput", Importance::normal},
                            {"dollars_per_million", "USD per million", Importance::essential},
                            {"joules_per_million", "energy per million", Importance::normal},
                            {"examples_per_dollar", "examples per USD", Importance::normal},
                            {"examples_per_joule", "examples per J", Importance::detail},
                            {"on_front", "on the front", Importance::essential},
                            data_column("origin")},
                .records = "costs"};
    constexpr const char* unpriced = "no source states its price";
    constexpr const char* unpowered = "no source states its power";
    const auto plain = [](const std::optional<double>& value, const char* unit,
                          const char* reason) {
        return optional_cell(
            value, [&](double number) { return number_cell(number, unit); }, reason);
    };
    for (const RunCost& cost : costs) {
        const Observation& run = *cost.run;
        table.rows.push_back(
            {count_cell(static_cast<double>(run.run)), printable(run.network, 400),
             count_cell(static_cast<double>(run.batch)), printable(run.backend),
             number_cell(cost.examples_per_second, "1/s", derived_from(run.origin)),
             plain(cost.dollars, "", unpriced), plain(cost.joules, "J", unpowered),
             plain(cost.examples_per_dollar(), "", unpriced),
             plain(cost.examples_per_joule(), "", unpowered),
             cost.is_on_front ? flag_cell(*cost.is_on_front) : Cell(Missing{unpriced}),
             std::string(name_of(run.origin))});
    }
    table.notes = {
        "Prices are those of the device's file (strata show --device), or --price. Energy is an "
        "upper bound: it assumes the device's maximum power.",
        "On the front: no other run of this network and mode is at least as fast and as cheap."};
    return {.title = "money and energy for a million examples",
            .blocks = {Paragraph{runs_sentence(of)}, std::move(table)},
            .kind = "analysis"};
}

namespace {

void add_range(const SizedNetworks& group, const SizedNetworks& zoo, Table& table) {
    constexpr auto names = names_of(SizeQuantity{});
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto quantity = static_cast<SizeQuantity>(i);
        const SizeRange range = range_of(group, quantity, zoo);
        auto& row = table.rows.emplace_back();
        row.push_back(printable(group.name));
        row.push_back(std::string(names[i]) + (quantity == SizeQuantity::operations  ? " [FLOP]"
                                               : quantity == SizeQuantity::intensity ? " [FLOP/B]"
                                                                                     : ""));
        row.push_back(count_cell(static_cast<double>(group.networks.size())));
        for (const double value : range.percentiles) {
            row.push_back(number_cell(value, ""));
        }
        row.push_back(&group == &zoo ? Cell(Missing{"of itself"}) : percent_cell(range.covered));
    }
}

XyChart::Series points_of(const SizedNetworks& group) {
    XyChart::Series series{.name = group.name, .mark = Mark::points};
    for (const NetworkSize& network : group.networks) {
        series.points.push_back({.name = network.name,
                                 .x = network.of(SizeQuantity::parameters),
                                 .y = network.of(SizeQuantity::operations)});
    }
    return series;
}

}  // namespace

Document ranges_document(std::span<const SizedNetworks> grids, const SizedNetworks& zoo,
                         std::int64_t batch) {
    Table table{.columns = {{"of_networks", "networks", Importance::essential},
                            {"quantity", "quantity", Importance::essential},
                            {"networks", "count", Importance::normal},
                            {"smallest", "smallest", Importance::essential},
                            {"p9", "9 %", Importance::normal},
                            {"p50", "median", Importance::essential},
                            {"p91", "91 %", Importance::normal},
                            {"largest", "largest", Importance::essential},
                            {"zoo_within", "zoo within", Importance::essential}},
                .records = "ranges"};
    XyChart chart{.title = "operations over parameters",
                  .x = {.key = "parameters",
                        .title = "parameters",
                        .unit = {},
                        .scale = AxisScale::logarithmic},
                  .y = {.key = "operations",
                        .title = "operations for an example",
                        .unit = "FLOP",
                        .scale = AxisScale::logarithmic}};
    for (const SizedNetworks& grid : grids) {
        add_range(grid, zoo, table);
        chart.series.push_back(points_of(grid));
    }
    add_range(zoo, zoo, table);
    chart.series.push_back(points_of(zoo));
    table.notes = {
        fmt::format("forward, in f32, operations for an example; intensity at batch {}; zoo "
                    "within: the share of the zoo's networks between the smallest and the largest.",
                    batch)};
    return {.title = "sizes of generated and real networks",
            .blocks = {std::move(table), std::move(chart)},
            .kind = "analysis"};
}

}  // namespace strata
