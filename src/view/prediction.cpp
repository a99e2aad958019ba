// SPDX-License-Identifier: MIT
#include "view/prediction.h"

#include "base/text.h"
#include "report/json.h"
#include "view/cells.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace strata {

namespace {

Cell cell_of(const std::string& field) {
    const auto number = parse_number(field);
    return number ? Cell(Verbatim{field, *number}) : Cell(printable(field));
}

Cell error_cell(double share) {
    return Number{.value = 100 * share, .unit = "%", .provenance = Provenance::modelled};
}

}  // namespace

Document predictions_document(const ProblemTable& table, std::span<const PredictedRow> predicted) {
    Table shown{.records = "predictions"};
    for (const std::string& column : table.columns) {
        shown.columns.push_back({printable(column), printable(column), Importance::normal});
    }
    shown.columns.push_back({"predicted_ms", "predicted", Importance::essential});
    shown.columns.push_back({"reason", "reason", Importance::normal});
    for (const PredictedRow& prediction : predicted) {
        std::vector<Cell> cells;
        for (const std::string& field : prediction.row->fields) {
            cells.push_back(cell_of(field));
        }
        cells.push_back(prediction.time ? Cell(Number{.value = prediction.time->value * 1e3,
                                                      .unit = "",
                                                      .provenance = Provenance::modelled})
                                        : Cell(Missing{}));
        cells.emplace_back(prediction.reason);
        shown.rows.push_back(std::move(cells));
    }
    add_origin(shown, Origin::modelled);
    return {.title = "predictions", .blocks = {std::move(shown)}, .kind = "predictions"};
}

Document accuracy_document(std::span<const AccuracyRow> rows, const std::string& source) {
    Table table{.columns = {{"device", "device", Importance::essential},
                            {"class", "class", Importance::essential},
                            {"split", "split", Importance::essential},
                            {"n", "n", Importance::normal},
                            {"mape", "MAPE", Importance::essential},
                            {"median", "median", Importance::essential},
                            {"p90", "p90", Importance::essential},
                            {"signed", "sum", Importance::normal}},
                .records = "accuracy"};
    for (const AccuracyRow& row : rows) {
        table.rows.push_back({row.device, row.problem_class, row.split,
                              Number{.value = static_cast<double>(row.errors.n)},
                              error_cell(row.errors.mape), error_cell(row.errors.median),
                              error_cell(row.errors.p90), error_cell(row.errors.signed_sum)});
    }
    table.notes.emplace_back(
        "Uncalibrated: from the device's description alone. Calibrated: with the rates that strata "
        "predict uses here, possibly fitted to these rows. Cross-validated: each fifth of the rows "
        "with rates fitted to the other four. Left-out: with rates fitted to other devices of the "
        "same maker.");
    if (!source.empty()) {
        table.notes.push_back(fmt::format("Source: {}.", source));
    }
    return {.title = "accuracy", .blocks = {std::move(table)}, .kind = "accuracy"};
}

std::string accuracy_json(std::span<const AccuracyRow> rows) {
    auto list = nlohmann::ordered_json::array();
    for (const AccuracyRow& row : rows) {
        list.push_back({{"device", row.device},
                        {"class", row.problem_class},
                        {"split", row.split},
                        {"n", row.errors.n},
                        {"mape", 100 * row.errors.mape},
                        {"median", 100 * row.errors.median},
                        {"p90", 100 * row.errors.p90},
                        {"signed", 100 * row.errors.signed_sum}});
    }
    return dump_json(list, 2);
}

}  // namespace strata
