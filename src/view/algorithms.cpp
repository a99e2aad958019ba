// SPDX-License-Identifier: MIT
#include "view/algorithms.h"

#include "analyze/algorithm_ranks.h"
#include "base/enumeration.h"
#include "base/text.h"
#include "measure/statistics.h"
#include "view/cells.h"
#include "view/columns.h"
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

// A result beside the others of its network.
struct ShownAlgorithm {
    const AlgorithmComparison& comparison;
    const AlgorithmResult& result;
};

std::string layers_text(const AlgorithmResult& result) {
    return result.layers == 1
               ? printable(result.layer)
               : fmt::format("{} and {} more", printable(result.layer), result.layers - 1);
}

const Columns<ShownAlgorithm>& columns_of_algorithms() {
    static const Columns<ShownAlgorithm> all = {
        {data_column("network"), [](auto& row) { return row.comparison.network; }},
        {data_column("batch"), [](auto& row) { return row.comparison.batch; }},
        {data_column("dtype"), [](auto& row) { return row.comparison.dtype; }},
        {data_column("device"), [](auto& row) { return row.comparison.device; }},
        {people_column("layer", "layer"), [](auto& row) { return layers_text(row.result); }},
        {data_column("layer"), [](auto& row) { return row.result.layer; }},
        {data_column("layers"), [](auto& row) { return row.result.layers; }},
        {{"pass", "pass"}, [](auto& row) { return row.result.pass; }},
        {people_column("rank", "rank"),
         [](auto& row) { return rank_text(row.comparison, row.result); }},
        {data_column("rank"),
         [](auto& row) {
             return row.result.rank > 0 ? as_cell(row.result.rank) : Cell(Missing{});
         }},
        {{"algorithm", "algorithm", Importance::essential},
         [](auto& row) { return row.result.algorithm; }},
        {{"implementation", "implementation", Importance::detail},
         [](auto& row) { return row.result.implementation; }},
        {data_column("fastest"), [](auto& row) { return row.result.rank == 1; }},
        {{"notes", "notes", Importance::detail}, [](auto& row) { return row.result.notes; }},
        {data_column("status"),
         [](auto& row) { return status_of(row.result.time, Origin::measured); }},
        {data_column("reason"),
         [](auto& row) { return text_or_missing(reason_of(row.result.time)); }},
        {{"layout", "layout", Importance::detail}, [](auto& row) { return row.result.layout; }},
        {{"workspace_bytes", "workspace", Importance::essential},
         [](auto& row) { return row.result.workspace; }},
        {{"median_s", "time", Importance::essential, Audience::all, Bounds::interval},
         [](auto& row) { return time_of_result(row.result); }},
        {{"flop_per_s", "rate"}, [](auto& row) { return rate_of_result(row.result); }},
        {{"multiplications", "multiplications"},
         [](auto& row) { return operations_cell(row.result, multiplications); }},
        {{"additions", "additions", Importance::detail},
         [](auto& row) { return operations_cell(row.result, additions); }},
        {{"error", "error", Importance::essential},
         [](auto& row) { return error_cell(row.result); }},
        {{"relative_l2", "L2 error"}, [](auto& row) { return relative_l2_cell(row.result); }},
        {data_column("deterministic"), [](auto& row) { return row.result.is_deterministic; }},
        {data_column("flops"), [](auto& row) { return row.result.flops; }},
        {data_column("problem"), [](auto& row) { return row.result.problem; }}};
    return all;
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
    std::vector<ShownAlgorithm> rows;
    for (const AlgorithmResult* result : in_order(comparison)) {
        rows.push_back({comparison, *result});
    }
    Table table = table_of(
        columns_of_algorithms(), rows,
        {.title = title_of(comparison), .notes = notes_of(comparison), .records = "algorithms"});
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
        .notes = {"user: the one given by --algorithm; heuristic: what auto chooses; "
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
    return headings(columns_of_algorithms());
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
