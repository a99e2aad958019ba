// SPDX-License-Identifier: MIT
#include "analyze/algorithm_ranks.h"
#include "base/enumeration.h"
#include "measure/statistics.h"
#include "view/algorithms.h"
#include "view/json_values.h"
#include "view/steps.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

Json time_json(const Measurement& time) {
    const auto* samples = std::get_if<Samples>(&time);
    if (samples == nullptr || samples->values.empty()) {
        return nullptr;
    }
    const Estimate found = estimate(samples->values);
    const bool has_interval = found.samples > 1;
    return {{"median_s", found.median.value},
            {"low_s", has_interval ? Json(found.low.value) : Json()},
            {"high_s", has_interval ? Json(found.high.value) : Json()},
            {"samples", found.samples}};
}

Json operations_json(const std::optional<Operations>& operations) {
    if (!operations) {
        return nullptr;
    }
    const double products = operations->multiply_adds;
    return {{"multiplications", whole_json(Flops{products + operations->multiplies})},
            {"additions", whole_json(Flops{products + operations->adds + operations->bias_adds})}};
}

Json error_json(const AlgorithmResult& result) {
    if (!result.exact_error) {
        return result.error
                   ? Json{{"max", *result.error}, {"relative_l2", nullptr}, {"elements", nullptr}}
                   : Json();
    }
    return {{"max", number_json(result.exact_error->max)},
            {"relative_l2", number_json(result.exact_error->relative_l2)},
            {"elements", result.exact_error->elements}};
}

Json result_json(const AlgorithmComparison& comparison, const AlgorithmResult& result) {
    return {{"network", comparison.network},
            {"batch", comparison.batch},
            {"dtype", comparison.dtype},
            {"device", comparison.device},
            {"layer", result.layer},
            {"layers", result.layers},
            {"problem", result.problem},
            {"pass", name_of(result.pass)},
            {"algorithm", result.algorithm},
            {"implementation", result.implementation},
            {"layout", result.layout},
            {"notes", result.notes},
            {"time", time_json(result.time)},
            {"rank", result.rank > 0 ? Json(result.rank) : Json()},
            {"workspace_bytes", result.workspace ? whole_json(*result.workspace) : Json()},
            {"operations", operations_json(result.operations)},
            {"flops", whole_json(result.flops)},
            {"error", error_json(result)},
            {"deterministic", result.is_deterministic ? Json(*result.is_deterministic) : Json()},
            {"origin", name_of(Origin::measured)},
            {"status", name_of(status_of(result.time, Origin::measured))},
            {"reason", text_json(reason_of(result.time))}};
}

Json policy_json(const AlgorithmComparison& comparison, const PolicyCost& cost) {
    return {{"network", comparison.network},         {"batch", comparison.batch},
            {"choice_policy", name_of(cost.policy)}, {"time_s", cost.time.value},
            {"regret_s", cost.regret.value},         {"passes", cost.passes},
            {"slower_passes", cost.slower},          {"unknown_passes", cost.unknown}};
}

}  // namespace

Json algorithms_json(std::span<const AlgorithmComparison> comparisons) {
    Json results = Json::array();
    Json policies = Json::array();
    for (const AlgorithmComparison& comparison : comparisons) {
        for (const AlgorithmResult* result : in_order(comparison)) {
            results.push_back(result_json(comparison, *result));
        }
        for (const PolicyCost& cost : policy_costs(comparison)) {
            policies.push_back(policy_json(comparison, cost));
        }
    }
    return {{"algorithms", std::move(results)}, {"policies", std::move(policies)}};
}

}  // namespace strata
