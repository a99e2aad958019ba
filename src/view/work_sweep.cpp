// SPDX-License-Identifier: MIT
#include "view/work_sweep.h"

#include "analyze/line_fit.h"
#include "base/enumeration.h"
#include "report/format.h"
#include "view/cells.h"
#include "view/columns.h"
#include "view/traffic_line.h"

#include <fmt/format.h>

namespace strata {

namespace {

// A point of a sweep, by its index.
struct SweptPoint {
    const WorkSweep& sweep;
    std::size_t at;

    const WorkPoint& point() const { return sweep.points[at]; }
};

Columns<SweptPoint> columns_over(const std::string& variable) {
    return {
        {data_column("network"), [](auto& row) { return row.sweep.network; }},
        {data_column("variable"), [](auto& row) { return row.sweep.variable; }},
        {{"value", variable, Importance::essential}, [](auto& row) { return row.point().value; }},
        {data_column("batch"), [](auto& row) { return row.point().batch; }},
        {{"parameters", "parameters"}, [](auto& row) { return row.point().parameters; }},
        {{"flops_forward", "forward"}, [](auto& row) { return row.point().forward; }},
        {{"flops", "all passes", Importance::essential},
         [](auto& row) { return row.point().flops; }},
        {{"growth", "growth", Importance::detail},
         [](auto& row) { return growth_at(row.sweep, row.at); }},
        {{"traffic_bytes", "traffic"}, [](auto& row) { return row.point().traffic; }},
        {unit_column("flop_per_byte", "FLOP/B"),
         [](auto& row) {
             return row.point().traffic > Bytes{0}
                        ? number_cell((row.point().flops / row.point().traffic).value, "FLOP/B")
                        : Cell(Missing{"it moves nothing"});
         }},
        {{"memory_bytes", "memory", Importance::essential},
         [](auto& row) { return bytes_cell(row.point().memory, Provenance::modelled); }}};
}

}  // namespace

Table points_table(const WorkSweep& sweep, const Convention& convention) {
    std::vector<SweptPoint> rows;
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        rows.push_back({sweep, i});
    }
    Table table = table_of(columns_over(sweep.variable), rows, {.records = "points"});
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
