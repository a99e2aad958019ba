// SPDX-License-Identifier: MIT
#include "analyze/algorithm_use.h"

#include "measure/statistics.h"

#include <algorithm>

namespace strata {

namespace {

constexpr std::string_view fallback = "direct";

std::optional<Seconds> time_of(const AlgorithmResult& result) {
    const auto* samples = std::get_if<Samples>(&result.time);
    return samples == nullptr || samples->values.empty()
               ? std::nullopt
               : std::optional(median_of(samples->values));
}

std::vector<std::string> different(const AlgorithmComparison& comparison, auto name_of_result) {
    std::vector<std::string> names;
    for (const AlgorithmResult& result : comparison.results) {
        const std::string name = name_of_result(result);
        if (!name.empty() && std::ranges::find(names, name) == names.end()) {
            names.push_back(name);
        }
    }
    return names;
}

// An algorithm's fastest result for a layer's pass; any algorithm's if it is empty.
const AlgorithmResult* best_of(const AlgorithmComparison& comparison, const std::string& layer,
                               Pass pass, std::string_view algorithm) {
    const AlgorithmResult* best = nullptr;
    for (const AlgorithmResult& result : comparison.results) {
        const bool fits = result.layer == layer && result.pass == pass &&
                          (algorithm.empty() || result.algorithm == algorithm) && time_of(result);
        if (fits && (best == nullptr || *time_of(result) < *time_of(*best))) {
            best = &result;
        }
    }
    return best;
}

std::vector<Pass> passes_of(const AlgorithmComparison& comparison, const std::string& layer) {
    std::vector<Pass> passes;
    for (const AlgorithmResult& result : comparison.results) {
        if (result.layer == layer && std::ranges::find(passes, result.pass) == passes.end()) {
            passes.push_back(result.pass);
        }
    }
    return passes;
}

std::optional<Flops> flops_of(const std::optional<Operations>& operations, int layers) {
    if (!operations) {
        return std::nullopt;
    }
    return Flops{layers * (2 * operations->multiply_adds + operations->multiplies +
                           operations->adds + operations->bias_adds)};
}

AlgorithmUse use_of(const AlgorithmComparison& comparison, std::string_view algorithm) {
    AlgorithmUse use{.algorithm = algorithm.empty() ? "fastest" : std::string(algorithm),
                     .time = Seconds{}};
    Bytes workspace;
    for (const std::string& layer :
         different(comparison, [](const AlgorithmResult& one) { return one.layer; })) {
        LayerUse of_layer{.layer = layer, .time = Seconds{}};
        for (const Pass pass : passes_of(comparison, layer)) {
            const AlgorithmResult* own = best_of(comparison, layer, pass, algorithm);
            const AlgorithmResult* run =
                own != nullptr ? own : best_of(comparison, layer, pass, fallback);
            if (run == nullptr) {
                of_layer.time.reset();
                break;
            }
            if (pass == Pass::forward) {
                of_layer.operations = flops_of(run->operations, run->layers);
            }
            *of_layer.time += *time_of(*run) * run->layers;
            workspace = std::max(workspace, run->workspace.value_or(Bytes{}));
        }
        use.time =
            use.time && of_layer.time ? std::optional(*use.time + *of_layer.time) : std::nullopt;
        use.layers.push_back(std::move(of_layer));
    }
    use.memory = comparison.memory + workspace;
    return use;
}

}  // namespace

std::vector<AlgorithmUse> uses_of(const AlgorithmComparison& comparison) {
    std::vector<AlgorithmUse> uses;
    for (const std::string& algorithm : different(comparison, [](const AlgorithmResult& one) {
             return time_of(one) ? one.algorithm : std::string();
         })) {
        uses.push_back(use_of(comparison, algorithm));
    }
    if (!uses.empty()) {
        uses.push_back(use_of(comparison, ""));
    }
    return uses;
}

}  // namespace strata
