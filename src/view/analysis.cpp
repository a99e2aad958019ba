// SPDX-License-Identifier: MIT
#include "view/analysis.h"

#include "base/enumeration.h"
#include "base/text.h"
#include "view/cells.h"
#include "view/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

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

// With its 95 % interval, if it has one.
Cell serial_share_cell(const AmdahlFit& fit) {
    Number share{.value = 100 * fit.serial, .unit = "%"};
    if (fit.interval) {
        share.low = 100 * fit.interval->low;
        share.high = 100 * fit.interval->high;
    }
    return share;
}

template <class Value>
Cell if_priced(const std::optional<Value>& value) {
    return value ? as_cell(*value) : Cell(Missing{"no source states its price"});
}

Cell if_powered(const std::optional<double>& value, const char* unit) {
    return value ? number_cell(*value, unit) : Cell(Missing{"no source states its power"});
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
    static const Columns<SpeedupPair> columns = {
        {data_column("network"), [](auto& pair) { return printable(pair.run->network, 400); }},
        {data_column("batch"), [](auto& pair) { return pair.run->batch; }},
        {data_column("run"), [](auto& pair) { return pair.run->run; }},
        {data_column("baseline_run"), [](auto& pair) { return pair.baseline->run; }},
        {data_column("baseline_examples_per_s"), baseline_throughput},
        {data_column("speedup"), &SpeedupPair::speedup},
        {data_column("origin"), [](auto& pair) { return pair.run->origin; }},
        {data_column("baseline_origin"), [](auto& pair) { return pair.baseline->origin; }}};
    return table_of(columns, found.pairs, {.records = "pairs"});
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

Document analysis(std::string title, const AnalysedRuns& of, Table table) {
    return {.title = std::move(title),
            .blocks = {Paragraph{runs_sentence(of)}, std::move(table)},
            .kind = "analysis"};
}

// The name of a stored run's network, however long.
std::string network_of(const Observation& run) {
    return printable(run.network, 400);
}

struct Weight {
    const std::string& backend;
    const Regression& regression;
    const RegressionTerm& term;
};

// The largest first.
std::vector<Weight> weights_of(std::span<const std::pair<std::string, Regression>> found) {
    std::vector<Weight> weights;
    for (const auto& [backend, regression] : found) {
        std::vector<const RegressionTerm*> terms;
        for (const RegressionTerm& term : regression.terms) {
            terms.push_back(&term);
        }
        std::ranges::sort(terms, std::ranges::greater(),
                          [](const RegressionTerm* term) { return std::abs(term->weight); });
        for (const RegressionTerm* term : terms) {
            weights.push_back({backend, regression, *term});
        }
    }
    return weights;
}

}  // namespace

Document regression_document(const std::string& target,
                             std::span<const std::pair<std::string, Regression>> found,
                             const RegressionOptions& options, const AnalysedRuns& of) {
    static const Columns<Weight> columns = {
        {{"backend", "backend", Importance::essential},
         [](auto& one) { return printable(one.backend); }},
        {{"hyperparameter", "hyperparameter", Importance::essential},
         [](auto& one) { return printable(one.term.name); }},
        {{"weight", "weight", Importance::essential, Audience::all, Bounds::interval},
         [](auto& one) { return interval_cell(one.term.weight, one.term.interval); }},
        {{"runs", "runs"}, [](auto& one) { return one.regression.count; }},
        {{"r_squared", "R²", Importance::essential},
         [](auto& one) { return one.regression.r_squared; }}};
    Table table = table_of(columns, weights_of(found), {.records = "weights"});
    table.notes = {fmt::format(
        "Linear regression of the {}, {}: its change in standard deviations for one standard "
        "deviation of the hyperparameter{}, largest first. 95 % intervals, assuming normal errors.",
        target, options.order > 1 ? "with squares and products" : "first order",
        options.scale == FeatureScale::log2 ? "'s binary logarithm" : "")};
    return analysis("what moves the " + target, of, std::move(table));
}

Document correlation_document(std::span<const std::pair<std::string, WorkCorrelation>> correlations,
                              const AnalysedRuns& of) {
    using Row = std::pair<std::string, WorkCorrelation>;
    static const Columns<Row> columns = {
        {{"backend", "backend", Importance::essential},
         [](auto& row) { return printable(row.first); }},
        {{"runs", "runs"}, [](auto& row) { return row.second.count; }},
        {{"correlation", "correlation", Importance::essential, Audience::all, Bounds::interval},
         [](auto& row) { return interval_cell(row.second.correlation, row.second.interval); }},
        {{"slope", "slope", Importance::essential}, [](auto& row) { return row.second.slope; }}};
    Table table = table_of(columns, correlations, {.records = "correlations"});
    table.notes = {
        "Pearson's correlation of the logarithms of time and operations, with Fisher's 95 % "
        "interval; slope: 1 if time is proportional to operations."};
    return analysis("time and operations", of, std::move(table));
}

Document scaling_document(std::span<const ThreadSweep> sweeps, const AnalysedRuns& of) {
    struct Row {
        const ThreadSweep& sweep;
        const ThreadPoint& point;
    };
    static const Columns<Row> columns = {
        {{"network", "network", Importance::essential},
         [](auto& row) { return printable(row.sweep.first->network); }},
        {{"backend", "backend"}, [](auto& row) { return row.sweep.first->backend; }},
        {{"batch", "batch"}, [](auto& row) { return row.sweep.first->batch; }},
        {{"threads", "threads", Importance::essential},
         [](auto& row) { return row.point.threads; }},
        {{"median_s", "time", Importance::essential},
         [](auto& row) { return time_cell(row.point.time, times_of(row.sweep.first->origin)); }},
        {{"amdahl_s", "by the law"},
         [](auto& row) { return row.sweep.fit->at(row.point.threads); }},
        {{"serial_share", "serial share", Importance::essential, Audience::all, Bounds::interval},
         [](auto& row) { return serial_share_cell(*row.sweep.fit); }},
        {data_column("origin"), [](auto& row) { return row.sweep.first->origin; }}};
    std::vector<Row> rows;
    for (const ThreadSweep& sweep : sweeps) {
        for (const ThreadPoint& point : sweep.points) {
            rows.push_back({sweep, point});
        }
    }
    Table table = table_of(columns, rows, {.records = "scaling"});
    table.notes = {
        "Amdahl's law, time(n) = time(1) (s + (1 - s) / n), by least squares of relative errors; "
        "s is the serial share. Its 95 % interval needs three numbers of threads."};
    return analysis("what threads do not speed up", of, std::move(table));
}

Document batches_document(std::span<const BatchSweep> sweeps, const AnalysedRuns& of) {
    static const Columns<BatchSweep> columns = {
        {{"network", "network", Importance::essential},
         [](auto& sweep) { return network_of(*sweep.first); }},
        {{"backend", "backend", Importance::essential},
         [](auto& sweep) { return printable(sweep.first->backend); }},
        {{"mode", "mode"}, [](auto& sweep) { return sweep.first->mode; }},
        {{"dtype", "type"}, [](auto& sweep) { return sweep.first->dtype; }},
        {{"largest_batch", "batches to"}, [](auto& sweep) { return sweep.points.back().batch; }},
        {{"best_examples_per_s", "best throughput", Importance::essential},
         [](auto& sweep) {
             return number_cell(sweep.saturation.best.median, "1/s",
                                derived_from(sweep.first->origin));
         }},
        {{"best_batch", "at batch", Importance::essential},
         [](auto& sweep) { return sweep.saturation.best_batch; }},
        {{"saturated_batch", "saturated from", Importance::essential},
         [](auto& sweep) {
             return sweep.saturation.reached
                        ? as_cell(sweep.saturation.batch)
                        : Cell(Missing{"throughput may still rise with the batch"});
         }},
        {data_column("origin"), [](auto& sweep) { return sweep.first->origin; }}};
    Table table = table_of(columns, sweeps, {.records = "saturation"});
    table.notes = {
        fmt::format("Saturated from: the smallest batch with {:.0f} % of the best throughput.",
                    100 * saturated_share)};
    Document document = analysis("throughput over batch", of, std::move(table));
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
    static const Columns<RunCost> columns = {
        {data_column("run"), [](auto& cost) { return cost.run->run; }},
        {{"network", "network", Importance::essential},
         [](auto& cost) { return network_of(*cost.run); }},
        {{"batch", "batch", Importance::essential}, [](auto& cost) { return cost.run->batch; }},
        {{"backend", "backend", Importance::essential},
         [](auto& cost) { return printable(cost.run->backend); }},
        {{"examples_per_s", "throughput"},
         [](auto& cost) {
             return number_cell(cost.examples_per_second, "1/s", derived_from(cost.run->origin));
         }},
        {{"dollars_per_million", "USD per million", Importance::essential},
         [](auto& cost) { return if_priced(cost.dollars); }},
        {{"joules_per_million", "energy per million"},
         [](auto& cost) { return if_powered(cost.joules, "J"); }},
        {{"examples_per_dollar", "examples per USD"},
         [](auto& cost) { return if_priced(cost.examples_per_dollar()); }},
        {{"examples_per_joule", "examples per J", Importance::detail},
         [](auto& cost) { return if_powered(cost.examples_per_joule(), ""); }},
        {{"on_front", "on the front", Importance::essential},
         [](auto& cost) { return if_priced(cost.is_on_front); }},
        {data_column("origin"), [](auto& cost) { return cost.run->origin; }}};
    Table table = table_of(columns, costs, {.records = "costs"});
    table.notes = {
        "Prices are those of the device's file (strata show --device), or --price. Energy is an "
        "upper bound: it assumes the device's maximum power.",
        "On the front: no other run of this network and mode is at least as fast and as cheap."};
    return analysis("money and energy for a million examples", of, std::move(table));
}

namespace {

// The range of one quantity in a group of networks.
struct RangeRow {
    const SizedNetworks& group;
    SizeQuantity quantity;
    SizeRange range;
    bool is_zoo;
};

void add_ranges(const SizedNetworks& group, const SizedNetworks& zoo, std::vector<RangeRow>& rows) {
    for (std::size_t i = 0; i < names_of(SizeQuantity{}).size(); ++i) {
        const auto quantity = static_cast<SizeQuantity>(i);
        rows.push_back({group, quantity, range_of(group, quantity, zoo), &group == &zoo});
    }
}

std::string text_of(SizeQuantity quantity) {
    return std::string(name_of(quantity)) + (quantity == SizeQuantity::operations  ? " [FLOP]"
                                             : quantity == SizeQuantity::intensity ? " [FLOP/B]"
                                                                                   : "");
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
    static const Columns<RangeRow> columns = {
        {{"of_networks", "networks", Importance::essential},
         [](auto& row) { return printable(row.group.name); }},
        {{"quantity", "quantity", Importance::essential},
         [](auto& row) { return text_of(row.quantity); }},
        {{"networks", "count"}, [](auto& row) { return row.group.networks.size(); }},
        {{"smallest", "smallest", Importance::essential},
         [](auto& row) { return row.range.percentiles[0]; }},
        {{"p9", "9 %"}, [](auto& row) { return row.range.percentiles[1]; }},
        {{"p50", "median", Importance::essential},
         [](auto& row) { return row.range.percentiles[2]; }},
        {{"p91", "91 %"}, [](auto& row) { return row.range.percentiles[3]; }},
        {{"largest", "largest", Importance::essential},
         [](auto& row) { return row.range.percentiles[4]; }},
        {{"zoo_within", "zoo within", Importance::essential}, [](auto& row) {
             return row.is_zoo ? Cell(Missing{"of itself"}) : percent_cell(row.range.covered);
         }}};
    std::vector<RangeRow> rows;
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
        add_ranges(grid, zoo, rows);
        chart.series.push_back(points_of(grid));
    }
    add_ranges(zoo, zoo, rows);
    chart.series.push_back(points_of(zoo));
    Table table = table_of(columns, rows, {.records = "ranges"});
    table.notes = {
        fmt::format("forward, in f32, operations for an example; intensity at batch {}; zoo "
                    "within: the share of the zoo's networks between the smallest and the largest.",
                    batch)};
    return {.title = "sizes of generated and real networks",
            .blocks = {std::move(table), std::move(chart)},
            .kind = "analysis"};
}

}  // namespace strata
