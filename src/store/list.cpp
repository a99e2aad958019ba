// SPDX-License-Identifier: MIT
#include "base/enumeration.h"
#include "record/run.h"
#include "store/query.h"
#include "store/statement.h"

namespace strata {

namespace {

Provenance provenance_of(const std::string& origin) {
    const auto value = value_named<Origin>(origin);
    return value == Origin::modelled   ? Provenance::modelled
           : value == Origin::imported ? Provenance::imported
                                       : Provenance::measured;
}

Number plain(const Statement& row, int column) {
    return {.value = row.real(column), .unit = {}, .low = {}, .high = {}};
}

Cell time_of(const Statement& row, int median, const std::string& origin) {
    if (row.is_null(median)) {
        return Missing{row.text(3) == "incomplete" ? "the run is incomplete" : "not measured"};
    }
    return Number{.value = row.real(median),
                  .unit = "s",
                  .low = row.real(median + 1),
                  .high = row.real(median + 2),
                  .provenance = provenance_of(origin)};
}

Cell text_or_missing(const Statement& row, int column) {
    return row.is_null(column) ? Cell(Missing{}) : Cell(row.text(column));
}

std::vector<Cell> cells_of(const Statement& row) {
    std::vector<Cell> cells = {plain(row, 0)};
    for (int text = 1; text <= 6; ++text) {
        cells.emplace_back(row.text(text));
    }
    cells.emplace_back(plain(row, 7));
    cells.emplace_back(row.text(8));
    // (0: an imported run's file does not tell.)
    cells.emplace_back(row.integer(9) == 0 ? Cell(Missing{}) : Cell(plain(row, 9)));
    cells.emplace_back(text_or_missing(row, 10));
    cells.emplace_back(time_of(row, 11, row.text(2)));
    cells.emplace_back(plain(row, 14));
    cells.emplace_back(text_or_missing(row, 15));
    cells.emplace_back(text_or_missing(row, 16));
    return cells;
}

}  // namespace

Table list_runs(const Database& database) {
    Table table{.title = "runs",
                .columns = {{"run", "run", Importance::essential},
                            {.key = "created", .title = "created", .order = Order::newest_first},
                            {"origin", "origin", Importance::detail},
                            {"state", "state", Importance::detail},
                            {"backend", "backend", Importance::detail},
                            {"network", "network", Importance::essential},
                            {"mode", "mode"},
                            {"batch", "batch", Importance::essential},
                            {"dtype", "dtype"},
                            {"threads", "threads", Importance::detail},
                            {"other_settings", "other settings", Importance::normal},
                            {"end_to_end_s", "end to end", Importance::essential, Audience::all,
                             Bounds::interval},
                            {"doubts", "doubts", Importance::detail},
                            {"tags", "tags", Importance::normal},
                            {"note", "note", Importance::detail}},
                .rows = {},
                .totals = {},
                .notes = {},
                .records = "runs"};
    Statement row(database,
                  "SELECT run, created, origin, state, backend, network, mode, batch, dtype, "
                  "threads, other_settings, end_to_end_s, end_to_end_low_s, end_to_end_high_s, "
                  "doubts, tags, note "
                  "FROM run_summary ORDER BY run DESC");
    for (row.start(); row.next();) {
        table.rows.push_back(cells_of(row));
    }
    return table;
}

}  // namespace strata
