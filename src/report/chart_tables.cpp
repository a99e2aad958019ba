// SPDX-License-Identifier: MIT
#include "report/chart_tables.h"

namespace strata {

namespace {

Cell ceiling_of(const RooflineChart::Roof& roof) {
    if (roof.compute) {
        return Number{.value = roof.compute->value, .unit = "FLOP/s"};
    }
    if (roof.bandwidth) {
        return Number{.value = roof.bandwidth->value, .unit = "B/s"};
    }
    return Missing{};
}

Table roofs_of(const RooflineChart& chart) {
    Table table{.title = chart.title + ": roofs",
                .columns = {{"roof", "roof", Importance::essential}, {"ceiling", "ceiling"}}};
    for (const auto& roof : chart.roofs) {
        table.rows.push_back({roof.name, ceiling_of(roof)});
    }
    return table;
}

Table points_of(const RooflineChart& chart) {
    Table table{.title = chart.title + ": points",
                .columns = {{"name", "name", Importance::essential},
                            {"group", "group"},
                            {"intensity", ""},
                            {"rate", ""},
                            {"share_percent", "share"}}};
    for (const auto& point : chart.points) {
        table.rows.push_back(
            {point.name, point.group, Number{.value = point.intensity.value, .unit = "FLOP/B"},
             Number{.value = point.rate.value, .unit = "FLOP/s"},
             point.share ? Cell(Number{.value = *point.share * 100, .unit = "%"}) : Missing{}});
    }
    return table;
}

}  // namespace

Table table_of(const StackedBars& chart) {
    Table table{.title = chart.title, .columns = {{"label", "", Importance::essential}}};
    for (const auto& series : chart.series) {
        table.columns.push_back({series.name, series.name});
    }
    for (std::size_t i = 0; i < chart.labels.size(); ++i) {
        std::vector<Cell> row = {chart.labels[i]};
        for (const auto& series : chart.series) {
            const auto value = i < series.values.size() ? series.values[i] : std::nullopt;
            row.push_back(value ? Cell(Number{.value = *value, .unit = chart.unit}) : Missing{});
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string bar_total_text(const StackedBars& chart, std::size_t bar, const Scale& scale) {
    const auto total = chart.total(bar);
    return total ? number_text({.value = *total, .unit = chart.unit}, scale) : cell_text(Missing{});
}

std::vector<Table> tables_of(const RooflineChart& chart) {
    return {roofs_of(chart), points_of(chart)};
}

Table table_of(const XyChart& chart) {
    Table table{.title = chart.title,
                .columns = {{"series", "", Importance::essential},
                            {"name", "point"},
                            {chart.x.key, chart.x.title, Importance::essential},
                            {chart.y.key, chart.y.title, Importance::essential}}};
    for (const auto& series : chart.series) {
        for (const auto& point : series.points) {
            table.rows.push_back({series.name, point.name,
                                  Number{.value = point.x, .unit = chart.x.unit},
                                  Number{.value = point.y,
                                         .unit = chart.y.unit,
                                         .low = point.low,
                                         .high = point.high}});
        }
    }
    return table;
}

}  // namespace strata
