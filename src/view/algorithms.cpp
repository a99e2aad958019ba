// SPDX-License-Identifier: MIT
#include "view/algorithms.h"

#include "base/enumeration.h"
#include "base/text.h"
#include "measure/statistics.h"
#include "view/cells.h"
#include "view/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace strata {

namespace {

std::optional<Seconds> time_of(const AlgorithmResult& result) {
    const auto* samples = std::get_if<Samples>(&result.time);
    if (samples == nullptr || samples->values.empty()) {
        return std::nullopt;
    }
    return median_of(samples->values);
}

bool same_pass(const AlgorithmResult& a, const AlgorithmResult& b) {
    return a.layer == b.layer && a.pass == b.pass;
}

bool is_fastest(const AlgorithmComparison& comparison, const AlgorithmResult& one) {
    const auto own = time_of(one);
    return own && std::ranges::none_of(comparison.results, [&](const AlgorithmResult& other) {
               const auto time = time_of(other);
               return same_pass(one, other) && time && *time < *own;
           });
}

Cell time_of_result(const AlgorithmResult& result) {
    const auto time = time_of(result);
    if (!time) {
        return Missing{reason_of(result.time)};
    }
    return Number{.value = time->value, .unit = "s", .provenance = Provenance::measured};
}

Cell rate_of_result(const AlgorithmResult& result) {
    const auto time = time_of(result);
    if (!time || time->value <= 0) {
        return Missing{};
    }
    return Number{.value = result.flops.value / time->value, .unit = "FLOP/s"};
}

Cell error_cell(const AlgorithmResult& result) {
    return result.error ? Cell(Number{.value = *result.error, .provenance = Provenance::measured})
                        : Cell(Missing{});
}

std::vector<Cell> row_of(const AlgorithmComparison& comparison, const AlgorithmResult& result) {
    const std::string layer =
        result.layers == 1
            ? printable(result.layer)
            : fmt::format("{} and {} more", printable(result.layer), result.layers - 1);
    const bool fastest = is_fastest(comparison, result);
    return {comparison.network,
            Number{.value = static_cast<double>(comparison.batch)},
            comparison.dtype,
            comparison.device,
            layer,
            result.layer,
            Number{.value = static_cast<double>(result.layers)},
            std::string(name_of(result.pass)),
            (fastest ? "* " : "") + result.implementation,
            result.implementation,
            flag_cell(fastest),
            result.notes,
            std::string(name_of(status_of(result.time))),
            text_or_missing(reason_of(result.time)),
            result.layout,
            Number{.value = result.workspace.value, .unit = "B"},
            time_of_result(result),
            rate_of_result(result),
            error_cell(result),
            Number{.value = result.flops.value, .unit = "FLOP"},
            result.problem};
}

std::vector<std::string> notes_of(const AlgorithmComparison& comparison) {
    const bool has_times = std::ranges::any_of(
        comparison.results,
        [](const AlgorithmResult& result) { return time_of(result).has_value(); });
    if (!has_times) {
        return {};
    }
    return {
        "* the fastest of its pass; rates count the operations of the pass by multiply-add-2, "
        "whatever the algorithm executes"};
}

std::size_t problems_in(const AlgorithmComparison& comparison) {
    std::set<std::string> problems;
    for (const AlgorithmResult& result : comparison.results) {
        problems.insert(result.problem);
    }
    return problems.size();
}

// Passes of a layer together, the fastest algorithm first; what has no time as it was offered.
std::vector<const AlgorithmResult*> in_order(const AlgorithmComparison& comparison) {
    std::map<std::string, std::size_t> layers;
    std::vector<const AlgorithmResult*> results;
    for (const AlgorithmResult& result : comparison.results) {
        layers.try_emplace(result.layer, layers.size());
        results.push_back(&result);
    }
    const auto key = [&](const AlgorithmResult* result) {
        const auto time = time_of(*result);
        return std::tuple(layers.at(result->layer), result->pass,
                          time ? time->value : std::numeric_limits<double>::infinity());
    };
    std::ranges::stable_sort(results, {}, key);
    return results;
}

}  // namespace

std::vector<Column> algorithm_columns() {
    return {data_column("network"),
            data_column("batch"),
            data_column("dtype"),
            data_column("device"),
            people_column("layer", "layer"),
            data_column("layer"),
            data_column("layers"),
            {"pass", "pass"},
            people_column("implementation", "algorithm"),
            data_column("implementation"),
            data_column("fastest"),
            {"notes", "notes"},
            data_column("status"),
            data_column("reason"),
            {"layout", "layout", Importance::normal},
            {"workspace_bytes", "workspace"},
            {"median_s", "time"},
            {"flop_per_s", "rate", Importance::normal},
            {"error", "error", Importance::normal},
            data_column("flops"),
            data_column("problem")};
}

Document algorithms_document(const AlgorithmComparison& comparison) {
    const std::size_t problems = problems_in(comparison);
    Table table{
        .title = fmt::format("{}, batch {}, {}: algorithms of {} different convolution{} on {}",
                             printable(comparison.network), comparison.batch, comparison.dtype,
                             problems, problems == 1 ? "" : "s", printable(comparison.device)),
        .columns = algorithm_columns(),
        .notes = notes_of(comparison),
        .records = "algorithms"};
    for (const AlgorithmResult* result : in_order(comparison)) {
        table.rows.push_back(row_of(comparison, *result));
    }
    Document document{.kind = "algorithms"};
    document.blocks.emplace_back(std::move(table));
    return document;
}

}  // namespace strata
