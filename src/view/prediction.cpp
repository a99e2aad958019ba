// SPDX-License-Identifier: MIT
#include "view/prediction.h"

#include "base/enumeration.h"
#include "base/text.h"
#include "report/json.h"
#include "view/cells.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace strata {

namespace {

Cell cell_of(const std::string& field) {
    const auto number = parse_number(field);
    return number ? Cell(Verbatim{field, *number}) : Cell(printable(field));
}

Cell milliseconds_cell(const std::optional<Seconds>& time) {
    return time ? Cell(Number{
                      .value = time->value * 1e3, .unit = "", .provenance = Provenance::modelled})
                : Cell(Missing{});
}

// A residual as the percentage by which measured times differ.
Cell residual_cell(double residual) {
    return Number{.value = 100 * std::expm1(residual), .unit = "%"};
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
    shown.columns.push_back({"low_ms", "p10", Importance::normal});
    shown.columns.push_back({"high_ms", "p90", Importance::normal});
    shown.columns.push_back({"basis", "basis", Importance::detail});
    shown.columns.push_back({"reason", "reason", Importance::normal});
    for (const PredictedRow& prediction : predicted) {
        std::vector<Cell> cells;
        for (const std::string& field : prediction.row->fields) {
            cells.push_back(cell_of(field));
        }
        const auto& interval = prediction.interval;
        cells.push_back(milliseconds_cell(prediction.time));
        cells.push_back(milliseconds_cell(interval ? std::optional(interval->low) : std::nullopt));
        cells.push_back(milliseconds_cell(interval ? std::optional(interval->high) : std::nullopt));
        cells.emplace_back(prediction.basis);
        cells.emplace_back(prediction.reason);
        shown.rows.push_back(std::move(cells));
    }
    shown.notes.emplace_back(
        "p10 and p90: eight of ten measured times lie between them, by the predictions that the "
        "basis names.");
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
                            {"signed", "sum", Importance::normal},
                            {"covered", "covered", Importance::normal}},
                .records = "accuracy"};
    for (const AccuracyRow& row : rows) {
        table.rows.push_back({row.device, row.problem_class, row.split,
                              Number{.value = static_cast<double>(row.errors.n)},
                              error_cell(row.errors.mape), error_cell(row.errors.median),
                              error_cell(row.errors.p90), error_cell(row.errors.signed_sum),
                              row.covered ? error_cell(*row.covered) : Cell(Missing{})});
    }
    table.notes.emplace_back(
        "Uncalibrated: from the device's description alone. Calibrated: with the rates that strata "
        "predict uses here, possibly fitted to these rows. Cross-validated: each fifth of the rows "
        "with rates fitted to the other four. Left-out: with rates fitted to other devices of the "
        "same maker. Predicted: as strata predict does of a class without rates of its own. "
        "covered: "
        "the share of measured times in the interval of strata predict, which should be 80 %; "
        "--intervals has it for what no rate was fitted to.");
    if (!source.empty()) {
        table.notes.push_back(fmt::format("Source: {}.", source));
    }
    return {.title = "accuracy", .blocks = {std::move(table)}, .kind = "accuracy"};
}

Document intervals_document(const StatedResiduals& stated) {
    Table table{.columns = {{"device", "device", Importance::essential},
                            {"class", "class", Importance::essential},
                            {"split", "split", Importance::essential},
                            {"n", "n", Importance::normal},
                            {"devices", "devices", Importance::detail},
                            {"until_s", "until", Importance::normal},
                            {"low_percent", "p10", Importance::essential},
                            {"middle_percent", "median", Importance::normal},
                            {"high_percent", "p90", Importance::essential},
                            {"covered_percent", "covered", Importance::essential}},
                .records = "intervals"};
    for (const ResidualRow& row : stated.rows) {
        table.rows.push_back({row.device, row.problem_class, std::string(name_of(row.split)),
                              Number{.value = static_cast<double>(row.n)},
                              Number{.value = static_cast<double>(row.devices)},
                              time_cell(row.until, Provenance::modelled),
                              residual_cell(row.residuals.low), residual_cell(row.residuals.middle),
                              residual_cell(row.residuals.high),
                              Number{.value = 100 * row.covered, .unit = "%"}});
    }
    table.notes.emplace_back(
        "p10, median and p90: by how much measured times differ from predicted ones, for "
        "predictions up to `until`. covered: the share of measured times in the interval of "
        "others: of other folds, of smaller problems, or of other devices.");
    if (!stated.source.empty()) {
        table.notes.push_back(fmt::format("Source: {}.", stated.source));
    }
    add_origin(table, Origin::modelled);
    return {.title = "intervals", .blocks = {std::move(table)}, .kind = "intervals"};
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
                        {"signed", 100 * row.errors.signed_sum},
                        {"covered", row.covered ? nlohmann::ordered_json(100 * *row.covered)
                                                : nlohmann::ordered_json()}});
    }
    return dump_json(list, 2);
}

}  // namespace strata
