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
    const Throughput examples = throughput_of(point);
    return Number{.value = examples.median,
                  .unit = "1/s",
                  .low = examples.low,
                  .high = examples.high,
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

Cell measured_memory(const SweepPoint& point, std::optional<double>) {
    return optional_cell(point.run->measured_memory,
                         [](Bytes b) { return bytes_cell(b, Provenance::measured); });
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
        columns.push_back({{"throughput_per_s", "throughput", Importance::essential}, throughput});
    }
    columns.push_back({{"flop_per_s", "rate", Importance::normal}, rate});
    if (has_line) {
        columns.push_back({{"line_s", "by the line", Importance::normal}, line_time});
        columns.push_back({{"residual_percent", "off the line", Importance::essential}, residual});
    }
    columns.push_back({{"predicted_memory_bytes", "memory", Importance::normal}, memory});
    columns.push_back({{"measured_memory_bytes", "taken", Importance::detail}, measured_memory});
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
    const Convention& convention = find_convention(sweep.convention);
    table.notes = {
        fmt::format("Work by the convention {}: {}", convention.name, convention.meaning),
        "Memory: the peak by liveness, without the library's scratch memory; taken: by the "
        "process, measured."};
    return table;
}

// "run 3" or "runs 3 to 9".
std::string runs_of(const Sweep& sweep) {
    std::vector<std::int64_t> ids;
    for (const SweepPoint& point : sweep.points) {
        ids.push_back(point.run->id);
    }
    const auto [first, last] = std::ranges::minmax(ids);
    return first == last ? (first > 0 ? fmt::format("run {}", first) : std::string())
                         : fmt::format("runs {} to {}", first, last);
}

std::string where_measured(const Sweep& sweep) {
    return machine_line(*sweep.points.back().run, runs_of(sweep));
}

}  // namespace

std::vector<Block> sweep_blocks(const Sweep& sweep, const std::optional<Capacity>& capacity) {
    std::vector<Block> blocks = {points_table(sweep, extrapolate(sweep))};
    for (const std::string& sentence : sweep_sentences(sweep, capacity)) {
        blocks.emplace_back(Paragraph{sentence});
    }
    for (Block& chart : sweep_charts(sweep)) {
        blocks.push_back(std::move(chart));
    }
    return blocks;
}

Document sweep_document(const Sweep& sweep, const std::optional<Capacity>& capacity) {
    Document document{sweep_title(sweep), {Paragraph{where_measured(sweep)}}};
    for (Block& block : sweep_blocks(sweep, capacity)) {
        document.blocks.push_back(std::move(block));
    }
    return document;
}

}  // namespace strata
