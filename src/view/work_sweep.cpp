// SPDX-License-Identifier: MIT
#include "view/work_sweep.h"

#include "analyze/line_fit.h"
#include "base/enumeration.h"
#include "report/format.h"
#include "view/cells.h"
#include "view/traffic_line.h"

#include <fmt/format.h>

namespace strata {

namespace {

std::vector<Cell> row_of(const WorkSweep& sweep, std::size_t at) {
    const WorkPoint& point = sweep.points[at];
    const auto ratio = [](double value) { return number_cell(value, ""); };
    return {sweep.network,
            sweep.variable,
            count_cell(static_cast<double>(point.value)),
            count_cell(static_cast<double>(point.batch)),
            count_cell(static_cast<double>(point.parameters)),
            flops_cell(point.forward),
            flops_cell(point.flops),
            optional_cell(growth_at(sweep, at), ratio),
            bytes_cell(point.traffic),
            point.traffic > Bytes{0} ? number_cell((point.flops / point.traffic).value, "FLOP/B")
                                     : Cell(Missing{"it moves nothing"}),
            bytes_cell(point.memory, Provenance::modelled)};
}

}  // namespace

Table points_table(const WorkSweep& sweep, const Convention& convention) {
    Table table{.records = "points"};
    table.columns = {data_column("network"),
                     data_column("variable"),
                     {"value", sweep.variable, Importance::essential},
                     data_column("batch"),
                     {"parameters", "parameters", Importance::normal},
                     {"flops_forward", "forward", Importance::normal},
                     {"flops", "all passes", Importance::essential},
                     {"growth", "growth", Importance::detail},
                     {"traffic_bytes", "traffic", Importance::normal},
                     unit_column("flop_per_byte", "FLOP/B"),
                     {"memory_bytes", "memory", Importance::essential}};
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        table.rows.push_back(row_of(sweep, i));
    }
    add_origin(table, Origin::modelled);
    table.notes = {
        fmt::format("Operations counted by the convention {}: {}", convention.name,
                    convention.meaning),
        fmt::format("Growth: the exponent of {} from one row to the next. Memory: the peak by "
                    "liveness.",
                    sweep.variable)};
    return table;
}

namespace {

std::string line_sentence(const WorkSweep& sweep) {
    const auto line = traffic_line(sweep);
    if (!line) {
        return "Fewer than three sizes with different work: too few to fit a line of traffic over "
               "operations.";
    }
    const std::string misfit = misfit_of(*line);
    if (!misfit.empty()) {
        return fmt::format(
            "A line does not describe traffic over operations: {} ({} {}; R² {:.4f}).", misfit,
            sweep.variable, sweep.points[line->worst_point].value, line->r_squared);
    }
    return fmt::format(
        "Traffic over operations: {:.3g} bytes per additional operation ({:.3g} to {:.3g}), so the "
        "intensity tends to {:.3g} FLOP/B; {} move even without operations (R² {:.4f}).",
        line->slope, line->slope_interval.low, line->slope_interval.high, 1 / line->slope,
        number_text(line->intercept, "B"), line->r_squared);
}

// "lstm, batch 20, training: hidden 128 to 2048".
std::string title_of(const WorkSweep& sweep, const Execution& execution) {
    std::string network = sweep.network;
    if (network.ends_with(':')) {
        network.pop_back();  // a generator without keys
    }
    const auto& [first, last] = std::pair(sweep.points.front(), sweep.points.back());
    const std::string batch =
        first.batch == last.batch ? fmt::format(", batch {}", first.batch) : "";
    return fmt::format("{}{}, {}: {} {} to {}", network, batch, name_of(execution.numerics.mode),
                       sweep.variable, first.value, last.value);
}

}  // namespace

Document work_sweep_document(const WorkSweep& sweep, const Convention& convention,
                             const Execution& execution) {
    return {title_of(sweep, execution),
            {points_table(sweep, convention), Paragraph{line_sentence(sweep)}}};
}

}  // namespace strata
