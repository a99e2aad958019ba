// SPDX-License-Identifier: MIT
#include "view/sweep.h"

#include "view/cells.h"
#include "view/machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

Provenance provenance_of(const SweepPoint& point) {
    return derived_from(point.run->origin);
}

Cell throughput_cell(const SweepPoint& point) {
    const Throughput images = throughput_of(point);
    return Number{.value = images.median,
                  .unit = "1/s",
                  .low = images.low,
                  .high = images.high,
                  .provenance = provenance_of(point)};
}

// The columns, and what each says of a point; `fitted` is the line's time where there is a line.
struct SweepColumn {
    Column column;
    Cell (*cell)(const SweepPoint& point, std::optional<double> fitted);
};

Cell value(const SweepPoint& point, std::optional<double>) {
    return count_cell(static_cast<double>(point.value));
}

Cell work(const SweepPoint& point, std::optional<double>) {
    return point.time ? flops_cell(point.flops) : Cell(Missing{point.reason});
}

Cell time(const SweepPoint& point, std::optional<double>) {
    return point.time ? time_cell(*point.time, times_of(point.run->origin))
                      : Cell(Missing{point.reason});
}

Cell throughput(const SweepPoint& point, std::optional<double>) {
    return point.time ? throughput_cell(point) : Cell(Missing{point.reason});
}

Cell rate(const SweepPoint& point, std::optional<double>) {
    return point.time && point.flops > Flops{0}
               ? number_cell((point.flops / point.time->median).value, "FLOP/s",
                             provenance_of(point))
               : Cell(Missing{point.reason});
}

Cell line_time(const SweepPoint&, std::optional<double> fitted) {
    return fitted ? number_cell(*fitted, "s") : Cell(Missing{});
}

Cell residual(const SweepPoint& point, std::optional<double> fitted) {
    return fitted && point.time ? percent_cell(1 - *fitted / point.time->median.value)
                                : Cell(Missing{});
}

Cell memory(const SweepPoint& point, std::optional<double>) {
    return bytes_cell(point.run->predicted_memory, Provenance::modelled);
}

Cell run_id(const SweepPoint& point, std::optional<double>) {
    return count_cell(static_cast<double>(point.run->id));
}

std::vector<SweepColumn> columns_of(const Sweep& sweep, bool has_line) {
    const bool latency =
        sweep.over_batch() && sweep.points.front().run->settings.mode == "inference";
    std::vector<SweepColumn> columns = {
        {{sweep.variable, sweep.variable, Importance::essential}, value},
        {{"flops", "work", Importance::normal}, work},
        {{"time_s", latency ? "latency" : "time", Importance::essential}, time}};
    if (sweep.over_batch()) {
        columns.push_back({{"images_per_s", "images", Importance::essential}, throughput});
    }
    columns.push_back({{"flop_per_s", "rate", Importance::normal}, rate});
    if (has_line) {
        columns.push_back({{"line_s", "by the line", Importance::normal}, line_time});
        columns.push_back({{"residual_percent", "beside it", Importance::essential}, residual});
    }
    columns.push_back({{"predicted_memory_bytes", "memory", Importance::normal}, memory});
    columns.push_back({{"run", "run", Importance::detail}, run_id});
    return columns;
}

// By point what the line says; nothing where there is no line or no time.
std::vector<std::optional<double>> fitted_by_point(const Sweep& sweep,
                                                   const std::optional<Extrapolation>& line) {
    std::vector<std::optional<double>> fitted(sweep.points.size());
    for (std::size_t i = 0; line && i < line->points.size(); ++i) {
        fitted[line->points[i]] = line->line.fitted[i];
    }
    return fitted;
}

Table points_table(const Sweep& sweep, const std::optional<Extrapolation>& line) {
    const auto fitted = fitted_by_point(sweep, line);
    const auto columns = columns_of(sweep, line.has_value());
    Table table;
    for (const SweepColumn& column : columns) {
        table.columns.push_back(column.column);
    }
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        std::vector<Cell>& row = table.rows.emplace_back();
        for (const SweepColumn& column : columns) {
            row.push_back(column.cell(sweep.points[i], fitted[i]));
        }
    }
    table.notes = {"Memory: the peak by liveness, without the library's scratch memory."};
    return table;
}

// Of the points that ran: a bar of no length would say that the others took no time.
std::vector<std::string> labels_of(const Sweep& sweep) {
    std::vector<std::string> labels;
    for (const SweepPoint& point : sweep.points) {
        if (point.time) {
            labels.push_back(std::to_string(point.value));
        }
    }
    return labels;
}

StackedBars throughput_bars(const Sweep& sweep) {
    StackedBars bars{.title = "Images per second by batch",
                     .unit = "1/s",
                     .labels = labels_of(sweep),
                     .series = {{.name = "images per second", .values = {}}}};
    for (const SweepPoint& point : sweep.points) {
        if (point.time) {
            bars.series[0].values.emplace_back(throughput_of(point).median);
        }
    }
    return bars;
}

// What the line gives the framework, and what the work adds: together the line's time.
StackedBars line_bars(const Sweep& sweep, const Extrapolation& found) {
    StackedBars bars{
        .title = fmt::format("Time by {}, as the line splits it", sweep.variable),
        .unit = "s",
        .labels = labels_of(sweep),
        .series = {{.name = "framework", .values = {}}, {.name = "work", .values = {}}}};
    const double framework = std::max(0.0, found.framework.value);
    for (const double fitted : found.line.fitted) {
        bars.series[0].values.emplace_back(framework);
        bars.series[1].values.emplace_back(fitted - framework);
    }
    return bars;
}

}  // namespace

std::vector<Block> sweep_blocks(const Sweep& sweep, const std::optional<Capacity>& capacity) {
    const auto line = extrapolate(sweep);
    std::vector<Block> blocks = {points_table(sweep, line)};
    for (const std::string& sentence : sweep_sentences(sweep, capacity)) {
        blocks.emplace_back(Paragraph{sentence});
    }
    if (saturation_of(sweep)) {
        blocks.emplace_back(throughput_bars(sweep));
    }
    if (line && line->misfit.empty()) {
        blocks.emplace_back(line_bars(sweep, *line));
    }
    return blocks;
}

Document sweep_document(const Sweep& sweep, const std::optional<Capacity>& capacity) {
    const Run& largest = *sweep.points.back().run;
    Document document{fmt::format("{}: {} {} to {}", settings_line(largest), sweep.variable,
                                  sweep.points.front().value, sweep.points.back().value),
                      {Paragraph{machine_line(largest)}}};
    for (Block& block : sweep_blocks(sweep, capacity)) {
        document.blocks.push_back(std::move(block));
    }
    return document;
}

}  // namespace strata
