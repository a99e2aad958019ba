// SPDX-License-Identifier: MIT
#include "view/sweep.h"

#include "base/enumeration.h"
#include "record/options.h"
#include "view/cells.h"
#include "view/machine.h"
#include "view/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace strata {

namespace {

Provenance provenance_of(const SweepPoint& point) {
    return derived_from(point.run->origin);
}

Cell throughput_cell(const SweepPoint& point) {
    const Throughput examples = throughput_of(point);
    Number number{.value = examples.median, .unit = "1/s", .provenance = provenance_of(point)};
    if (has_interval(*point.time)) {
        number.low = examples.low;
        number.high = examples.high;
    }
    return number;
}

Cell samples(const SweepPoint& point, std::optional<double>) {
    return point.time ? count_cell(static_cast<double>(point.time->samples)) : Cell(Missing{});
}

Cell status(const SweepPoint& point, std::optional<double>) {
    return std::string(name_of(point.time ? status_of(point.run->origin) : Status::skipped));
}

Cell reason(const SweepPoint& point, std::optional<double>) {
    return point.time ? Cell(Missing{}) : text_or_missing(point.reason);
}

Cell traffic(const SweepPoint& point, std::optional<double>) {
    Bytes bytes;
    for (const StepResult& step : point.run->steps) {
        bytes += std::holds_alternative<Samples>(step.time) ? step.read + step.written : Bytes{};
    }
    return point.time ? bytes_cell(bytes) : Cell(Missing{});
}

// A column and its cell for a point; `fitted` is the line's time, if there is a line.
struct SweepColumn {
    Column column;
    std::function<Cell(const SweepPoint& point, std::optional<double> fitted)> cell;
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
    return point.time && point.time->low > Seconds{0} ? throughput_cell(point)
                                                      : Cell(Missing{point.reason});
}

Cell work_rate(const SweepPoint& point, std::optional<double>) {
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

std::vector<SweepColumn> columns_of(const std::string& variable, std::string_view mode,
                                    bool has_line) {
    const bool over_batch = variable == "batch";
    const bool latency = over_batch && mode == "inference";
    const Audience of_batch = over_batch ? Audience::all : Audience::data;
    const Audience of_line = has_line ? Audience::all : Audience::data;
    return {{data_column("network"),
             [](const SweepPoint& point, std::optional<double>) {
                 return Cell(point.run->settings.network);
             }},
            {data_column("dtype"),
             [](const SweepPoint& point, std::optional<double>) {
                 return Cell(text_of(point.run->settings, "dtype"));
             }},
            {data_column("algorithm"),
             [](const SweepPoint& point, std::optional<double>) {
                 return Cell(text_of(point.run->settings, "algorithm"));
             }},
            {data_column("threads"),
             [](const SweepPoint& point, std::optional<double>) {
                 return threads_cell(point.run->settings.threads());
             }},
            {data_column("batch"),
             [](const SweepPoint& point, std::optional<double>) {
                 return count_cell(static_cast<double>(point.run->settings.batch));
             }},
            {data_column("variable"),
             [variable](const SweepPoint&, std::optional<double>) { return Cell(variable); }},
            {{"value", variable, Importance::essential}, value},
            {data_column("status"), status},
            {data_column("reason"), reason},
            {{"flops", "work", Importance::normal}, work},
            {data_column("traffic_bytes"), traffic},
            {{"median_s", latency ? "latency" : "time", Importance::essential, Audience::all,
              Bounds::interval},
             time},
            {data_column("samples"), samples},
            {{"examples_per_s", "throughput", Importance::essential, of_batch, Bounds::interval},
             throughput},
            {{"flop_per_s", "rate", Importance::normal}, work_rate},
            {{"fitted_s", "by the line", Importance::normal, of_line}, line_time},
            {{"off_line", "off the line", Importance::essential, of_line}, residual},
            {{"predicted_memory_bytes", "memory", Importance::normal}, memory},
            {{"measured_memory_bytes", "taken", Importance::detail}, measured_memory},
            {{"run", "run", Importance::detail}, run_id},
            {data_column("origin"), [](const SweepPoint& point, std::optional<double>) {
                 return Cell(std::string(name_of(point.run->origin)));
             }}};
}

// The line's time for each point; empty if there is no line or no time.
std::vector<std::optional<double>> fitted_by_point(const Sweep& sweep,
                                                   const std::optional<Extrapolation>& line) {
    std::vector<std::optional<double>> fitted(sweep.points.size());
    for (std::size_t i = 0; line && i < line->points.size(); ++i) {
        fitted[line->points[i]] = line->line.fitted[i];
    }
    return fitted;
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

// "Next: `strata explain 9` says where the time of batch 64 goes." Empty if no stored point has a
// time.
std::string next_step(const Sweep& sweep) {
    const SweepPoint* longest = nullptr;
    for (const SweepPoint& point : sweep.points) {
        if (point.time && point.run->id > 0 &&
            (longest == nullptr || point.time->median > longest->time->median)) {
            longest = &point;
        }
    }
    return longest == nullptr
               ? ""
               : fmt::format("Next: `strata explain {}` says where the time of {} {} goes.",
                             longest->run->id, sweep.variable, longest->value);
}

}  // namespace

std::vector<Column> point_columns(const std::string& variable, std::string_view mode) {
    std::vector<Column> columns;
    std::ranges::transform(columns_of(variable, mode, true), std::back_inserter(columns),
                           &SweepColumn::column);
    return columns;
}

Table points_table(const Sweep& sweep, const std::optional<Extrapolation>& line) {
    const auto fitted = fitted_by_point(sweep, line);
    const auto columns = columns_of(
        sweep.variable, text_of(sweep.points.front().run->settings, "mode"), line.has_value());
    Table table{.records = "points"};
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
        fmt::format("Work counted by the convention {}: {}", convention.name, convention.meaning),
        "Memory: the peak by liveness, without the library's scratch memory; taken: measured, by "
        "the process."};
    return table;
}

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
    if (const std::string next = next_step(sweep); !next.empty()) {
        document.blocks.emplace_back(Paragraph{next});
    }
    return document;
}

}  // namespace strata
