// SPDX-License-Identifier: MIT
#include "view/sweep.h"

#include "base/enumeration.h"
#include "record/options.h"
#include "view/cells.h"
#include "view/columns.h"
#include "view/machine.h"
#include "view/steps.h"

#include <fmt/format.h>

#include <algorithm>

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

// A point with the line's time for it, if there is a line.
struct PointRow {
    const SweepPoint& point;
    std::optional<double> fitted;

    const Run& run() const { return *point.run; }
};

Cell traffic(const PointRow& row) {
    Bytes bytes;
    for (const StepResult& step : row.run().steps) {
        bytes += std::holds_alternative<Samples>(step.time) ? step.read + step.written : Bytes{};
    }
    return row.point.time ? bytes_cell(bytes) : Cell(Missing{});
}

// A value of the point's time, or why it has none.
template <class Make>
Cell if_timed(const SweepPoint& point, bool is_known, Make&& make) {
    return point.time && is_known ? as_cell(make(*point.time)) : Cell(Missing{point.reason});
}

Cell residual(const PointRow& row) {
    return row.fitted && row.point.time
               ? percent_cell(1 - *row.fitted / row.point.time->median.value)
               : Cell(Missing{});
}

Columns<PointRow> columns_of(const std::string& variable, std::string_view mode, bool has_line) {
    const bool over_batch = variable == "batch";
    const bool latency = over_batch && mode == "inference";
    const Audience of_batch = over_batch ? Audience::all : Audience::data;
    const Audience of_line = has_line ? Audience::all : Audience::data;
    return {
        {data_column("network"), [](auto& row) { return row.run().settings.network; }},
        {data_column("dtype"), [](auto& row) { return text_of(row.run().settings, "dtype"); }},
        {data_column("algorithm"),
         [](auto& row) { return text_of(row.run().settings, "algorithm"); }},
        {data_column("threads"), [](auto& row) { return threads_cell(row.run().threads()); }},
        {data_column("batch"), [](auto& row) { return row.run().settings.batch; }},
        {data_column("variable"), [variable](auto&) { return variable; }},
        {{"value", variable, Importance::essential}, [](auto& row) { return row.point.value; }},
        {data_column("status"),
         [](auto& row) { return row.point.time ? status_of(row.run().origin) : Status::skipped; }},
        {data_column("reason"),
         [](auto& row) {
             return row.point.time ? Cell(Missing{}) : text_or_missing(row.point.reason);
         }},
        {{"flops", "work"},
         [](auto& row) {
             return if_timed(row.point, true, [&](const Estimate&) { return row.point.flops; });
         }},
        {data_column("traffic_bytes"), traffic},
        {{"median_s", latency ? "latency" : "time", Importance::essential, Audience::all,
          Bounds::interval},
         [](auto& row) {
             return if_timed(row.point, true, [&](const Estimate& time) {
                 return time_cell(time, times_of(row.run().origin));
             });
         }},
        {data_column("samples"),
         [](auto& row) {
             return row.point.time ? as_cell(row.point.time->samples) : Cell(Missing{});
         }},
        {{"examples_per_s", "throughput", Importance::essential, of_batch, Bounds::interval},
         [](auto& row) {
             return if_timed(row.point, row.point.time && row.point.time->low > Seconds{0},
                             [&](const Estimate&) { return throughput_cell(row.point); });
         }},
        {{"flop_per_s", "rate"},
         [](auto& row) {
             return if_timed(row.point, row.point.flops > Flops{0}, [&](const Estimate& time) {
                 return number_cell((row.point.flops / time.median).value, "FLOP/s",
                                    provenance_of(row.point));
             });
         }},
        {{"fitted_s", "by the line", Importance::normal, of_line},
         [](auto& row) { return row.fitted ? number_cell(*row.fitted, "s") : Cell(Missing{}); }},
        {{"off_line", "off the line", Importance::essential, of_line}, residual},
        {{"predicted_memory_bytes", "memory"},
         [](auto& row) { return bytes_cell(row.run().predicted_memory, Provenance::modelled); }},
        {{"measured_memory_bytes", "taken", Importance::detail},
         [](auto& row) {
             return optional_cell(row.run().measured_memory, [](Bytes bytes) {
                 return bytes_cell(bytes, Provenance::measured);
             });
         }},
        {{"run", "run", Importance::detail}, [](auto& row) { return row.run().id; }},
        {data_column("origin"), [](auto& row) { return row.run().origin; }}};
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
    return headings(columns_of(variable, mode, true));
}

Table points_table(const Sweep& sweep, const std::optional<Extrapolation>& line) {
    const auto fitted = fitted_by_point(sweep, line);
    const auto columns = columns_of(
        sweep.variable, text_of(sweep.points.front().run->settings, "mode"), line.has_value());
    std::vector<PointRow> rows;
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        rows.push_back({sweep.points[i], fitted[i]});
    }
    Table table = table_of(columns, rows, {.records = "points"});
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
