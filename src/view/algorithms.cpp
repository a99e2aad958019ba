// SPDX-License-Identifier: MIT
#include "view/algorithms.h"

#include "analyze/algorithm_ranks.h"
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

// "2 =" if another algorithm has the same rank.
Cell rank_text(const AlgorithmComparison& comparison, const AlgorithmResult& one) {
    if (one.rank == 0) {
        return Missing{};
    }
    const auto sharing = std::ranges::count_if(comparison.results, [&](const auto& other) {
        return same_pass(one, other) && other.rank == one.rank;
    });
    return fmt::format("{}{}", one.rank, sharing > 1 ? " =" : "");
}

Cell time_of_result(const AlgorithmResult& result) {
    const auto* samples = std::get_if<Samples>(&result.time);
    return samples == nullptr || samples->values.empty()
               ? Cell(Missing{reason_of(result.time)})
               : time_cell(estimate(samples->values), Provenance::measured);
}

Cell rate_of_result(const AlgorithmResult& result) {
    const auto time = time_of(result);
    if (!time || time->value <= 0) {
        return Missing{};
    }
    return Number{.value = result.flops.value / time->value, .unit = "FLOP/s"};
}

double multiplications(const Operations& operations) {
    return operations.multiply_adds + operations.multiplies;
}

double additions(const Operations& operations) {
    return operations.multiply_adds + operations.adds + operations.bias_adds;
}

Cell operations_cell(const AlgorithmResult& result, double (*kind)(const Operations&)) {
    return result.operations ? Cell(Number{.value = kind(*result.operations), .unit = "FLOP"})
                             : Cell(Missing{});
}

Cell error_cell(const AlgorithmResult& result) {
    const auto error = result.exact_error ? std::optional(result.exact_error->max) : result.error;
    return optional_cell(error,
                         [](double value) { return number_cell(value, "", Provenance::measured); });
}

Cell relative_l2_cell(const AlgorithmResult& result) {
    return optional_cell(result.exact_error, [](const AlgorithmError& error) {
        return number_cell(error.relative_l2, "", Provenance::measured);
    });
}

std::vector<Cell> row_of(const AlgorithmComparison& comparison, const AlgorithmResult& result) {
    const std::string layer =
        result.layers == 1
            ? printable(result.layer)
            : fmt::format("{} and {} more", printable(result.layer), result.layers - 1);
    return {
        comparison.network,
        Number{.value = static_cast<double>(comparison.batch)},
        comparison.dtype,
        comparison.device,
        layer,
        result.layer,
        Number{.value = static_cast<double>(result.layers)},
        std::string(name_of(result.pass)),
        rank_text(comparison, result),
        result.rank > 0 ? count_cell(result.rank) : Cell(Missing{}),
        result.algorithm,
        result.implementation,
        flag_cell(result.rank == 1),
        result.notes,
        std::string(name_of(status_of(result.time, Origin::measured))),
        text_or_missing(reason_of(result.time)),
        result.layout,
        optional_cell(result.workspace, [](Bytes bytes) { return number_cell(bytes.value, "B"); }),
        time_of_result(result),
        rate_of_result(result),
        operations_cell(result, multiplications),
        operations_cell(result, additions),
        error_cell(result),
        relative_l2_cell(result),
        optional_cell(result.is_deterministic, flag_cell),
        Number{.value = result.flops.value, .unit = "FLOP"},
        result.problem};
}

// "Errors: against sums in double precision, of 512 to 8192 elements of each result, ..."
std::string note_on_errors(const AlgorithmComparison& comparison) {
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    std::size_t most = 0;
    for (const AlgorithmResult& result : comparison.results) {
        if (result.exact_error) {
            fewest = std::min(fewest, result.exact_error->elements);
            most = std::max(most, result.exact_error->elements);
        }
    }
    return most == 0 ? std::string()
                     : fmt::format(
                           "Errors: against sums in double precision of the same operands, of {} "
                           "elements of each result, evenly spaced; the largest difference over "
                           "the largest value, and the relative L2 norm.",
                           fewest == most ? fmt::format("{}", most)
                                          : fmt::format("{} to {}", fewest, most));
}

std::vector<std::string> notes_of(const AlgorithmComparison& comparison) {
    const bool has_times = std::ranges::any_of(
        comparison.results,
        [](const AlgorithmResult& result) { return time_of(result).has_value(); });
    if (!has_times) {
        return {};
    }
    std::vector<std::string> notes = {
        "=: not distinguishable from the first of its rank (95 %). Rates count the operations that "
        "the pass needs by multiply-add-2, whatever the algorithm executes."};
    if (std::string errors = note_on_errors(comparison); !errors.empty()) {
        notes.push_back(std::move(errors));
    }
    return notes;
}

std::size_t problems_in(const AlgorithmComparison& comparison) {
    std::set<std::string> problems;
    for (const AlgorithmResult& result : comparison.results) {
        problems.insert(result.problem);
    }
    return problems.size();
}

std::string title_of(const AlgorithmComparison& comparison) {
    const std::size_t problems = problems_in(comparison);
    return fmt::format(
        "{}, batch {}, {}: algorithms of {} on {}", printable(comparison.network), comparison.batch,
        comparison.dtype,
        problems == 1 ? "its convolution" : fmt::format("its {} different convolutions", problems),
        printable(comparison.device));
}

Table algorithms_table(const AlgorithmComparison& comparison) {
    Table table{.title = title_of(comparison),
                .columns = algorithm_columns(),
                .notes = notes_of(comparison),
                .records = "algorithms"};
    for (const AlgorithmResult* result : in_order(comparison)) {
        table.rows.push_back(row_of(comparison, *result));
    }
    add_origin(table, Origin::measured);
    return table;
}

std::string policy_name(const AlgorithmComparison& comparison, AlgorithmPolicy policy) {
    const std::string name(name_of(policy));
    return policy == AlgorithmPolicy::user ? fmt::format("{} ({})", name, comparison.asked) : name;
}

Table policies_table(const AlgorithmComparison& comparison, std::span<const PolicyCost> costs) {
    Table table{
        .title = fmt::format("What each policy costs, batch {}", comparison.batch),
        .columns = {{"policy", "policy", Importance::essential},
                    {.key = "time_s",
                     .title = "time",
                     .importance = Importance::essential,
                     .read_with = "time"},
                    {.key = "regret_s",
                     .title = "regret",
                     .importance = Importance::essential,
                     .read_with = "time"},
                    {"regret_share", "regret share", Importance::essential},
                    {"passes", "passes"},
                    {"slower_passes", "surely slower"}},
        .notes = {"user: the one given by --algorithm; heuristic: the library's own first choice; "
                  "profiled: the fastest measured. Times are of all passes of all convolutions, "
                  "each layer alone. Regret: the extra time over the fastest. Surely slower: "
                  "passes whose algorithm is slower than the fastest (95 %)."}};
    for (const PolicyCost& cost : costs) {
        const Seconds best = cost.time - cost.regret;
        table.rows.push_back({policy_name(comparison, cost.policy), time_cell(cost.time),
                              time_cell(cost.regret),
                              best.value > 0 ? percent_cell(cost.regret / best) : Cell(Missing{}),
                              count_cell(static_cast<double>(cost.passes)),
                              count_cell(static_cast<double>(cost.slower))});
    }
    return table;
}

}  // namespace

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

std::vector<Column> algorithm_columns() {
    return {data_column("network"),
            data_column("batch"),
            data_column("dtype"),
            data_column("device"),
            people_column("layer", "layer"),
            data_column("layer"),
            data_column("layers"),
            {"pass", "pass"},
            people_column("rank", "rank"),
            data_column("rank"),
            {"algorithm", "algorithm", Importance::essential},
            {"implementation", "implementation", Importance::detail},
            data_column("fastest"),
            {"notes", "notes", Importance::detail},
            data_column("status"),
            data_column("reason"),
            {"layout", "layout", Importance::detail},
            {"workspace_bytes", "workspace", Importance::essential},
            {"median_s", "time", Importance::essential, Audience::all, Bounds::interval},
            {"flop_per_s", "rate", Importance::normal},
            {"multiplications", "multiplications", Importance::normal},
            {"additions", "additions", Importance::detail},
            {"error", "error", Importance::essential},
            {"relative_l2", "L2 error", Importance::normal},
            data_column("deterministic"),
            data_column("flops"),
            data_column("problem")};
}

Document algorithms_document(std::span<const AlgorithmComparison> batches) {
    Document document{.kind = "algorithms"};
    for (const AlgorithmComparison& comparison : batches) {
        document.blocks.emplace_back(algorithms_table(comparison));
        if (const auto costs = policy_costs(comparison); costs.size() > 1) {
            document.blocks.emplace_back(policies_table(comparison, costs));
        }
    }
    std::ranges::move(algorithm_charts(batches), std::back_inserter(document.blocks));
    return document;
}

}  // namespace strata
