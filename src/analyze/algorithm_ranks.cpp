// SPDX-License-Identifier: MIT
#include "analyze/algorithm_ranks.h"

#include "base/enumeration.h"

#include <algorithm>
#include <map>
#include <utility>

namespace strata {

namespace {

using PassResults = std::vector<AlgorithmResult*>;

const std::vector<Seconds>* times_of(const AlgorithmResult& result) {
    const auto* samples = std::get_if<Samples>(&result.time);
    return samples == nullptr || samples->values.empty() ? nullptr : &samples->values;
}

Launches as_rounds(const std::vector<Seconds>& times, std::size_t count) {
    Launches rounds;
    for (std::size_t i = 0; i < count; ++i) {
        rounds.samples.push_back({times[i]});
    }
    return rounds;
}

// The results with times of each layer's pass, in their order.
std::vector<PassResults> timed_by_pass(AlgorithmComparison& comparison) {
    std::map<std::pair<std::string, Pass>, std::size_t> places;
    std::vector<PassResults> groups;
    for (AlgorithmResult& result : comparison.results) {
        if (times_of(result) == nullptr) {
            continue;
        }
        const auto [place, is_new] = places.try_emplace({result.layer, result.pass}, groups.size());
        if (is_new) {
            groups.emplace_back();
        }
        groups[place->second].push_back(&result);
    }
    return groups;
}

bool can_be_told_apart(const AlgorithmResult& a, const AlgorithmResult& b,
                       AlgorithmSampling sampling) {
    const bool have_rounds = times_of(a)->size() > 1 && times_of(b)->size() > 1;
    if (!have_rounds || !is_positive({{*times_of(a)}}) || !is_positive({{*times_of(b)}})) {
        return false;
    }
    const Ratio ratio = time_ratio(a, b, sampling);
    return ratio.low > 1 || ratio.high < 1;
}

Seconds median(const AlgorithmResult& result) {
    return median_of(*times_of(result));
}

void rank_pass(PassResults& results, AlgorithmSampling sampling) {
    std::ranges::stable_sort(results, {},
                             [](const AlgorithmResult* result) { return median(*result).value; });
    const AlgorithmResult* first = nullptr;  // of the current rank
    for (std::size_t i = 0; i < results.size(); ++i) {
        const bool is_next = first == nullptr || can_be_told_apart(*first, *results[i], sampling);
        results[i]->rank = is_next ? static_cast<int>(i) + 1 : first->rank;
        first = is_next ? results[i] : first;
    }
}

using Chosen = bool (*)(const AlgorithmResult&);

Chosen chosen_by(AlgorithmPolicy policy) {
    switch (policy) {
        case AlgorithmPolicy::user:
            return [](const AlgorithmResult& result) { return result.is_asked; };
        case AlgorithmPolicy::heuristic:
            return [](const AlgorithmResult& result) { return result.is_heuristic; };
        case AlgorithmPolicy::profiled:
            break;
    }
    return nullptr;
}

PolicyCost cost_of(const AlgorithmComparison& comparison, AlgorithmPolicy policy) {
    PolicyCost cost{.policy = policy};
    const Chosen is_chosen = chosen_by(policy);
    for (const AlgorithmResult* best : fastest_algorithms(comparison)) {
        const auto is_of_policy = [&](const AlgorithmResult& one) {
            return one.layer == best->layer && one.pass == best->pass && one.rank > 0 &&
                   is_chosen(one);
        };
        const auto found = is_chosen == nullptr
                               ? comparison.results.end()
                               : std::ranges::find_if(comparison.results, is_of_policy);
        if (is_chosen != nullptr && found == comparison.results.end()) {
            ++cost.unknown;
            continue;
        }
        const AlgorithmResult& own = is_chosen == nullptr ? *best : *found;
        ++cost.passes;
        cost.slower += own.rank > 1 ? 1 : 0;
        cost.time += median(own) * own.layers;
        cost.regret += (median(own) - median(*best)) * own.layers;
    }
    return cost;
}

}  // namespace

Ratio ratio_of_rounds(const std::vector<Seconds>& before, const std::vector<Seconds>& after) {
    const std::size_t count = std::min(before.size(), after.size());
    return ratio_of_pairs(as_rounds(before, count), as_rounds(after, count));
}

Ratio time_ratio(const AlgorithmResult& a, const AlgorithmResult& b, AlgorithmSampling sampling) {
    const std::vector<Seconds>& before = *times_of(a);
    const std::vector<Seconds>& after = *times_of(b);
    if (sampling == AlgorithmSampling::in_a_row) {
        return ratio_of_medians({{before}}, {{after}});
    }
    return ratio_of_rounds(before, after);
}

void rank_algorithms(AlgorithmComparison& comparison) {
    for (PassResults& results : timed_by_pass(comparison)) {
        rank_pass(results, comparison.sampling);
    }
}

std::vector<const AlgorithmResult*> fastest_algorithms(const AlgorithmComparison& comparison) {
    std::map<std::pair<std::string, Pass>, std::size_t> places;
    std::vector<const AlgorithmResult*> fastest;
    for (const AlgorithmResult& result : comparison.results) {
        if (result.rank == 0) {
            continue;
        }
        const auto [place, is_new] =
            places.try_emplace({result.layer, result.pass}, fastest.size());
        if (is_new) {
            fastest.push_back(&result);
        } else if (median(result) < median(*fastest[place->second])) {
            fastest[place->second] = &result;
        }
    }
    return fastest;
}

std::vector<PolicyCost> policy_costs(const AlgorithmComparison& comparison) {
    std::vector<PolicyCost> costs;
    for (std::size_t i = 0; i < names_of(AlgorithmPolicy{}).size(); ++i) {
        PolicyCost cost = cost_of(comparison, static_cast<AlgorithmPolicy>(i));
        if (cost.passes > 0) {
            costs.push_back(cost);
        }
    }
    return costs;
}

}  // namespace strata
