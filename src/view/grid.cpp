// SPDX-License-Identifier: MIT
#include "view/grid.h"

#include "analyze/ran_algorithms.h"
#include "analyze/sweep.h"
#include "base/enumeration.h"
#include "base/text.h"
#include "record/options.h"
#include "view/cells.h"
#include "view/machine.h"
#include "view/steps.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

using Points = std::vector<std::vector<std::int64_t>>;

// "128 to 512", the range of one number.
std::string range_of(const Points& values, std::size_t axis, std::string_view between) {
    const auto of_axis = [&](const std::vector<std::int64_t>& point) { return point[axis]; };
    const auto [first, last] = std::ranges::minmax_element(values, {}, of_axis);
    return fmt::format("{}{}{}", (*first)[axis], between, (*last)[axis]);
}

// "hidden 128 to 512, batch 1 to 16".
std::string ranges_of(const std::vector<std::string>& names, const Points& values) {
    std::vector<std::string> ranges;
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
        ranges.push_back(fmt::format("{} {}", names[axis], range_of(values, axis, " to ")));
    }
    return join(ranges, ", ");
}

// The settings that the runs share, with each range in its number's place: inside the network's
// text, as the batch, or at the end.
std::string title_of(const Run& last, const VariedGrid& grid) {
    Settings settings = last.settings;
    std::string batch = fmt::format("batch {}", settings.batch);
    std::string others;
    for (std::size_t axis = 0; axis < grid.names.size(); ++axis) {
        const std::string& name = grid.names[axis];
        const std::string piece = fmt::format("{}={}", name, grid.values.back()[axis]);
        const auto at = settings.network.find(piece);
        if (name == "batch") {
            batch = "batch " + range_of(grid.values, axis, " to ");
        } else if (at != std::string::npos) {
            settings.network.replace(at, piece.size(),
                                     name + "=" + range_of(grid.values, axis, ".."));
        } else {
            others += fmt::format("{}{} {}", others.empty() ? ": " : ", ", name,
                                  range_of(grid.values, axis, " to "));
        }
    }
    return settings_line(settings, batch, algorithm_text(last)) + others;
}

// People see one column for each number; data has all of them as one text.
void add_columns_of(const std::vector<std::string>& names, std::vector<Column>& columns) {
    for (const std::string& name : names) {
        columns.push_back(people_column(name, name));
    }
    columns.push_back(data_column("point"));
}

std::vector<Cell> cells_of(const std::vector<std::string>& names,
                           const std::vector<std::int64_t>& values) {
    std::vector<Cell> cells;
    std::vector<std::string> texts;
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
        cells.push_back(count_cell(static_cast<double>(values[axis])));
        texts.push_back(fmt::format("{}={}", names[axis], values[axis]));
    }
    cells.emplace_back(join(texts, ","));
    return cells;
}

void add_cells_of(const Run& run, std::vector<Cell>& row) {
    const SweepPoint point = point_of(run, 0);
    const Missing none{point.reason};
    const Provenance derived = derived_from(run.origin);
    const auto timed = [&](auto&& cell) { return point.time ? Cell(cell()) : Cell(none); };
    row.emplace_back(run.settings.network);
    row.emplace_back(text_of(run.settings, "dtype"));
    row.push_back(threads_cell(run.threads()));
    row.push_back(count_cell(static_cast<double>(run.settings.batch)));
    row.emplace_back(std::string(name_of(point.time ? status_of(run.origin) : Status::skipped)));
    row.push_back(point.time ? Cell(Missing{}) : text_or_missing(point.reason));
    row.push_back(timed([&] { return flops_cell(point.flops); }));
    row.push_back(timed([&] { return time_cell(*point.time, times_of(run.origin)); }));
    row.push_back(timed([&] { return number_cell(throughput_of(point).median, "1/s", derived); }));
    row.push_back(point.time && point.flops > Flops{0}
                      ? number_cell((point.flops / point.time->median).value, "FLOP/s", derived)
                      : Cell(none));
    row.push_back(bytes_cell(run.predicted_memory, Provenance::modelled));
    row.push_back(optional_cell(run.measured_memory,
                                [](Bytes b) { return bytes_cell(b, Provenance::measured); }));
    row.push_back(count_cell(static_cast<double>(run.id)));
    row.emplace_back(std::string(name_of(run.origin)));
}

}  // namespace

std::vector<Column> grid_columns(const std::vector<std::string>& names) {
    const bool over_batch = std::ranges::find(names, "batch") != names.end();
    std::vector<Column> columns;
    add_columns_of(names, columns);
    const std::vector<Column> others = {
        data_column("network"),
        data_column("dtype"),
        data_column("threads"),
        data_column("batch"),
        data_column("status"),
        data_column("reason"),
        {"flops", "work", Importance::normal},
        {"median_s", "time", Importance::essential, Audience::all, Bounds::interval},
        {"examples_per_s", "throughput", Importance::essential,
         over_batch ? Audience::all : Audience::data},
        {"flop_per_s", "rate", Importance::normal},
        {"predicted_memory_bytes", "memory", Importance::normal},
        {"measured_memory_bytes", "taken", Importance::detail},
        {"run", "run", Importance::normal},
        data_column("origin")};
    columns.insert(columns.end(), others.begin(), others.end());
    return columns;
}

Document grid_document(std::span<const Run> runs, const VariedGrid& grid) {
    Table table{.columns = grid_columns(grid.names), .records = "points"};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto& row = table.rows.emplace_back(cells_of(grid.names, grid.values[i]));
        add_cells_of(runs[i], row);
    }
    table.notes = {
        "No line is fitted because several numbers vary. strata report RUN shows a single run."};
    return {title_of(runs.back(), grid),
            {Paragraph{machine_line(runs.back(),
                                    fmt::format("runs {} to {}", runs.front().id, runs.back().id))},
             std::move(table)}};
}

Document work_grid_document(const WorkGrid& grid, const Convention& convention,
                            const Execution& execution) {
    Table table{.records = "points"};
    add_columns_of(grid.variables, table.columns);
    const std::vector<Column> columns = {data_column("network"),
                                         {"parameters", "parameters", Importance::normal},
                                         {"flops_forward", "forward", Importance::normal},
                                         {"flops", "all passes", Importance::essential},
                                         {"traffic_bytes", "traffic", Importance::normal},
                                         unit_column("flop_per_byte", "FLOP/B"),
                                         {"memory_bytes", "memory", Importance::essential}};
    std::ranges::copy(columns, std::back_inserter(table.columns));
    for (std::size_t i = 0; i < grid.points.size(); ++i) {
        const WorkPoint& point = grid.points[i];
        auto& row = table.rows.emplace_back(cells_of(grid.variables, grid.values[i]));
        row.emplace_back(grid.network);
        row.push_back(count_cell(static_cast<double>(point.parameters)));
        row.push_back(flops_cell(point.forward));
        row.push_back(flops_cell(point.flops));
        row.push_back(bytes_cell(point.traffic));
        row.push_back(point.traffic > Bytes{0}
                          ? number_cell((point.flops / point.traffic).value, "FLOP/B")
                          : Cell(Missing{"it moves nothing"}));
        row.push_back(bytes_cell(point.memory, Provenance::modelled));
    }
    add_origin(table, Origin::modelled);
    table.notes = {fmt::format("Operations counted by the convention {}: {}", convention.name,
                               convention.meaning),
                   "Memory: the peak by liveness."};
    return {fmt::format("{}, {}: {}", printable(grid.network), name_of(execution.numerics.mode),
                        ranges_of(grid.variables, grid.values)),
            {std::move(table)}};
}

}  // namespace strata
