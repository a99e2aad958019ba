// SPDX-License-Identifier: MIT
#include "view/grid.h"

#include "analyze/ran_algorithms.h"
#include "analyze/sweep.h"
#include "base/enumeration.h"
#include "base/text.h"
#include "view/cells.h"
#include "view/machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

using Points = std::vector<std::vector<std::int64_t>>;

// "128 to 512", of one of the numbers.
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

// What the runs share, each range in its number's place: in the network's own text, as the batch,
// or behind the rest.
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

void add_columns_of(const std::vector<std::string>& names, Table& table) {
    for (const std::string& name : names) {
        table.columns.push_back({name, name, Importance::essential});
    }
}

std::vector<Cell> cells_of(const std::vector<std::int64_t>& values) {
    std::vector<Cell> cells;
    for (const std::int64_t value : values) {
        cells.push_back(count_cell(static_cast<double>(value)));
    }
    return cells;
}

void add_cells_of(const Run& run, bool has_throughput, std::vector<Cell>& row) {
    const SweepPoint point = point_of(run, 0);
    const Missing none{point.reason};
    const Provenance derived = derived_from(run.origin);
    row.push_back(point.time ? flops_cell(point.flops) : Cell(none));
    row.push_back(point.time ? time_cell(*point.time, times_of(run.origin)) : Cell(none));
    if (has_throughput) {
        row.push_back(point.time ? number_cell(throughput_of(point).median, "1/s", derived)
                                 : Cell(none));
    }
    row.push_back(point.time && point.flops > Flops{0}
                      ? number_cell((point.flops / point.time->median).value, "FLOP/s", derived)
                      : Cell(none));
    row.push_back(bytes_cell(run.predicted_memory, Provenance::modelled));
    row.push_back(optional_cell(run.measured_memory,
                                [](Bytes b) { return bytes_cell(b, Provenance::measured); }));
    row.push_back(count_cell(static_cast<double>(run.id)));
}

}  // namespace

Document grid_document(std::span<const Run> runs, const VariedGrid& grid) {
    const bool has_throughput = std::ranges::find(grid.names, "batch") != grid.names.end();
    Table table;
    add_columns_of(grid.names, table);
    table.columns.push_back({"flops", "work", Importance::normal});
    table.columns.push_back({"time_s", "time", Importance::essential});
    if (has_throughput) {
        table.columns.push_back({"throughput_per_s", "throughput", Importance::essential});
    }
    table.columns.push_back({"flop_per_s", "rate", Importance::normal});
    table.columns.push_back({"predicted_memory_bytes", "memory", Importance::normal});
    table.columns.push_back({"measured_memory_bytes", "taken", Importance::detail});
    table.columns.push_back({"run", "run", Importance::normal});
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto& row = table.rows.emplace_back(cells_of(grid.values[i]));
        add_cells_of(runs[i], has_throughput, row);
    }
    table.notes = {
        "No line is fitted where several numbers change. A single run: strata report RUN."};
    return {title_of(runs.back(), grid),
            {Paragraph{machine_line(runs.back(),
                                    fmt::format("runs {} to {}", runs.front().id, runs.back().id))},
             std::move(table)}};
}

Document work_grid_document(const WorkGrid& grid, const Convention& convention,
                            const Execution& execution) {
    Table table;
    add_columns_of(grid.variables, table);
    const std::vector<Column> columns = {{"parameters", "parameters", Importance::normal},
                                         {"flops_forward", "forward", Importance::normal},
                                         {"flops", "all passes", Importance::essential},
                                         {"bytes", "traffic", Importance::normal},
                                         {"flop_per_byte", "", Importance::normal},
                                         {"memory_bytes", "memory", Importance::essential}};
    std::ranges::copy(columns, std::back_inserter(table.columns));
    for (std::size_t i = 0; i < grid.points.size(); ++i) {
        const WorkPoint& point = grid.points[i];
        auto& row = table.rows.emplace_back(cells_of(grid.values[i]));
        row.push_back(count_cell(static_cast<double>(point.parameters)));
        row.push_back(flops_cell(point.forward));
        row.push_back(flops_cell(point.flops));
        row.push_back(bytes_cell(point.traffic));
        row.push_back(point.traffic > Bytes{0}
                          ? number_cell((point.flops / point.traffic).value, "FLOP/B")
                          : Cell(Missing{"it moves nothing"}));
        row.push_back(bytes_cell(point.memory, Provenance::modelled));
    }
    table.notes = {
        fmt::format("Operations by the convention {}: {}", convention.name, convention.meaning),
        "Memory: the peak by liveness."};
    return {fmt::format("{}, {}: {}", printable(grid.network), name_of(execution.mode),
                        ranges_of(grid.variables, grid.values)),
            {std::move(table)}};
}

}  // namespace strata
