// SPDX-License-Identifier: MIT
#include "view/distribution.h"

#include "base/enumeration.h"
#include "base/text.h"
#include "view/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace strata {

namespace {

// The value as shown: shares in percent.
double shown(ObservedMetric metric, double value) {
    return metric == ObservedMetric::utilisation ? 100 * value : value;
}

Cell metric_cell(ObservedMetric metric, double value) {
    return number_cell(shown(metric, value), unit_of(metric).data());
}

XyChart::Axis metric_axis(ObservedMetric metric) {
    return {.key = std::string(name_of(metric)),
            .title = std::string(name_of(metric)),
            .unit = std::string(unit_of(metric)),
            .scale =
                metric == ObservedMetric::utilisation ? AxisScale::linear : AxisScale::logarithmic};
}

// Values that double are evenly spaced on a logarithmic axis.
XyChart::Axis parameter_axis(const std::string& name, const std::vector<double>& values) {
    const bool is_wide =
        !values.empty() && values.front() > 0 && values.back() >= 8 * values.front();
    return {.key = name,
            .title = name,
            .unit = {},
            .scale = is_wide ? AxisScale::logarithmic : AxisScale::linear,
            .ticks = values.size() <= 12 ? values : std::vector<double>()};
}

std::string value_key(const std::string& name, double value) {
    return fmt::format("{}_{}", name, value);
}

Table heat_table(ObservedMetric metric, const std::string& backend, const HeatMap& map) {
    Table table{.title = fmt::format("{}: {} by {} (down) and {} (across)", printable(backend),
                                     name_of(metric), map.row_name, map.column_name)};
    table.columns.push_back(
        {map.row_name, map.row_name + " \\ " + map.column_name, Importance::essential});
    for (const double value : map.columns) {
        table.columns.push_back({.key = value_key(map.column_name, value),
                                 .title = fmt::format("{}", value),
                                 .form = CellForm::shade,
                                 .read_with = "map"});
    }
    for (std::size_t i = map.rows.size(); i-- > 0;) {
        auto& row = table.rows.emplace_back();
        row.push_back(count_cell(map.rows[i]));
        for (const auto& cell : map.cells[i]) {
            row.push_back(cell ? metric_cell(metric, cell->median) : Cell(Missing{"no run"}));
        }
    }
    return table;
}

// For data: one row for each cell of each map.
Table heat_cells(ObservedMetric metric, std::span<const std::pair<std::string, HeatMap>> maps) {
    Table table = table_for_data({"backend", "hyperparameter", "value", "second_hyperparameter",
                                  "second_value", "runs", "quantity", "median"},
                                 "cells");
    for (const auto& [backend, map] : maps) {
        for (std::size_t i = 0; i < map.rows.size(); ++i) {
            for (std::size_t j = 0; j < map.columns.size(); ++j) {
                if (const auto& cell = map.cells[i][j]) {
                    table.rows.push_back(
                        {backend, map.column_name, count_cell(map.columns[j]), map.row_name,
                         count_cell(map.rows[i]), count_cell(static_cast<double>(cell->count)),
                         std::string(name_of(metric)), metric_cell(metric, cell->median)});
                }
            }
        }
    }
    return table;
}

XyChart heat_lines(ObservedMetric metric, const std::string& backend, const HeatMap& map) {
    XyChart chart{.title = fmt::format("{}: {} by {}, a line for each {}", printable(backend),
                                       name_of(metric), map.column_name, map.row_name),
                  .x = parameter_axis(map.column_name, map.columns),
                  .y = metric_axis(metric)};
    for (std::size_t i = 0; i < map.rows.size(); ++i) {
        XyChart::Series series{.name = fmt::format("{} {}", map.row_name, map.rows[i]),
                               .mark = Mark::joined};
        for (std::size_t j = 0; j < map.columns.size(); ++j) {
            if (const auto& cell = map.cells[i][j]) {
                series.points.push_back(
                    {.name = fmt::format("{} {}", map.column_name, map.columns[j]),
                     .x = map.columns[j],
                     .y = shown(metric, cell->median)});
            }
        }
        chart.series.push_back(std::move(series));
    }
    return chart;
}

// The median with the box from 9 to 91 %, or the ends of the whiskers as separate points.
XyChart::Series percentile_series(ObservedMetric metric, std::string name,
                                  const std::vector<Box>& boxes, std::size_t place) {
    const bool is_median = box_shares[place] == 0.5;
    XyChart::Series series{.name = std::move(name),
                           .mark = is_median ? Mark::joined : Mark::points};
    for (const Box& box : boxes) {
        XyChart::Point point{.name = box.group,
                             .x = box.value.value_or(0),
                             .y = shown(metric, box.percentiles[place])};
        if (is_median) {
            point.low = shown(metric, box.percentiles[1]);
            point.high = shown(metric, box.percentiles[3]);
        }
        series.points.push_back(std::move(point));
    }
    return series;
}

// The device's roof over these intensities: the slope of its memory, then the peak.
XyChart::Series roof_series(const Observations& all, const Observation& run, double least,
                            double most) {
    const Device& device = *all.device_of(run);
    XyChart::Series roof{.name = "roof of " + device.name, .mark = Mark::line};
    const auto peak = peak_for(all, run);
    const auto memory = memory_bandwidth_of(device);
    if (!peak || !memory) {
        return roof;
    }
    const double ridge = (*peak / *memory).value;
    for (const double intensity : {std::min(least, ridge / 2), ridge, std::max(most, ridge * 2)}) {
        roof.points.push_back({.name = "roof",
                               .x = intensity,
                               .y = std::min(peak->value, intensity * memory->value)});
    }
    return roof;
}

std::vector<Cell> roofline_row(const Observations& all, const Observation& run, double intensity,
                               double rate) {
    const Provenance derived = derived_from(run.origin);
    return {count_cell(static_cast<double>(run.run)),
            run.backend,
            printable(run.network, 400),
            count_cell(static_cast<double>(run.batch)),
            number_cell(intensity, "FLOP/B"),
            number_cell(rate, "FLOP/s", derived),
            optional_cell(metric_of(all, run, ObservedMetric::utilisation),
                          [&](double share) { return percent_cell(share, derived); })};
}

// Each network as a point below its device's roof, with one series for each family.
XyChart roofline_chart(const Observations& all, const BackendRuns& group, Table& table) {
    XyChart chart{.title = fmt::format("{}: networks under the roof", printable(group.backend)),
                  .x = {.key = "flop_per_byte",
                        .title = "intensity",
                        .unit = "FLOP/B",
                        .scale = AxisScale::logarithmic},
                  .y = {.key = "flop_per_s",
                        .title = "rate",
                        .unit = "FLOP/s",
                        .scale = AxisScale::logarithmic}};
    std::map<std::string, XyChart::Series> families;
    const Observation* judged = nullptr;
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const Observation* run : group.runs) {
        const auto intensity = metric_of(all, *run, ObservedMetric::intensity);
        const auto rate = metric_of(all, *run, ObservedMetric::rate);
        if (!intensity || !rate) {
            continue;
        }
        judged = judged == nullptr && all.device_of(*run) != nullptr ? run : judged;
        least = std::min(least, *intensity);
        most = std::max(most, *intensity);
        XyChart::Series& family = families[run->family];
        family.name = printable(run->family);
        family.points.push_back({.name = fmt::format("{}, batch {}", run->network, run->batch),
                                 .x = *intensity,
                                 .y = *rate});
        table.rows.push_back(roofline_row(all, *run, *intensity, *rate));
        table.rows.back().emplace_back(std::string(name_of(run->origin)));
    }
    for (auto& [name, family] : families) {
        chart.series.push_back(std::move(family));
    }
    if (judged != nullptr) {
        chart.series.push_back(roof_series(all, *judged, least, most));
    }
    return chart;
}

}  // namespace

Document heat_map_document(ObservedMetric metric,
                           std::span<const std::pair<std::string, HeatMap>> maps,
                           const AnalysedRuns& of) {
    Document document{.title = fmt::format("{} by two hyperparameters", name_of(metric)),
                      .kind = "analysis"};
    document.blocks.emplace_back(Paragraph{
        runs_sentence(of) + " Medians over everything else that differs; – if there is no run."});
    for (const auto& [backend, map] : maps) {
        document.blocks.emplace_back(heat_table(metric, backend, map));
        document.blocks.emplace_back(heat_lines(metric, backend, map));
    }
    document.blocks.emplace_back(heat_cells(metric, maps));
    return document;
}

Document boxes_document(ObservedMetric metric, const std::string& parameter,
                        std::span<const std::pair<std::string, std::vector<Box>>> boxes,
                        const AnalysedRuns& of) {
    Table table{.columns = {{"backend", "backend", Importance::essential},
                            people_column("group", "group"),
                            data_column("hyperparameter"),
                            data_column("value"),
                            data_column("quantity"),
                            {"runs", "runs", Importance::normal},
                            {"p2", "2 %", Importance::normal},
                            {"p9", "9 %", Importance::normal},
                            {"p50", "median", Importance::essential},
                            {"p91", "91 %", Importance::normal},
                            {"p98", "98 %", Importance::normal}},
                .records = "boxes"};
    for (Column& column : table.columns) {
        column.read_with = column.key.starts_with('p') ? "percentiles" : "";
    }
    Document document{.title = fmt::format("{} by {}", name_of(metric),
                                           parameter.empty() ? "backend" : parameter),
                      .kind = "analysis"};
    document.blocks.emplace_back(Paragraph{runs_sentence(of)});
    std::vector<Block> charts;
    for (const auto& [backend, groups] : boxes) {
        for (const Box& box : groups) {
            auto& row = table.rows.emplace_back();
            row = {printable(backend),
                   printable(box.group),
                   parameter.empty() ? Cell(Missing{}) : Cell(parameter),
                   box.value ? count_cell(*box.value) : Cell(Missing{}),
                   std::string(name_of(metric)),
                   count_cell(static_cast<double>(box.count))};
            for (const double percentile : box.percentiles) {
                row.push_back(metric_cell(metric, percentile));
            }
        }
        if (groups.size() < 2 || !groups.front().value) {
            continue;
        }
        std::vector<double> values;
        for (const Box& box : groups) {
            values.push_back(*box.value);
        }
        charts.emplace_back(XyChart{
            .title = fmt::format("{}: {} by {}", printable(backend), name_of(metric), parameter),
            .x = parameter_axis(parameter, values),
            .y = metric_axis(metric),
            .series = {percentile_series(metric, "median, 9 to 91 %", groups, 2),
                       percentile_series(metric, "2 %", groups, 0),
                       percentile_series(metric, "98 %", groups, 4)}});
    }
    document.blocks.emplace_back(std::move(table));
    std::ranges::move(charts, std::back_inserter(document.blocks));
    return document;
}

Document sweep_roofline_document(const Observations& all, std::span<const BackendRuns> groups,
                                 const AnalysedRuns& of) {
    Document document{.title = "roofline of networks", .kind = "analysis"};
    document.blocks.emplace_back(Paragraph{
        runs_sentence(of) + " Intensity: operations over the compulsory traffic of all layers."});
    Table table = table_for_data({"run", "backend", "network", "batch", "flop_per_byte",
                                  "flop_per_s", "utilisation", "origin"},
                                 "points");
    for (const BackendRuns& group : groups) {
        XyChart chart = roofline_chart(all, group, table);
        if (!chart.series.empty()) {
            document.blocks.emplace_back(std::move(chart));
        }
    }
    document.blocks.emplace_back(std::move(table));
    return document;
}

}  // namespace strata
