// SPDX-License-Identifier: MIT
#pragma once

#include "measure/ratio.h"
#include "record/algorithm.h"

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace strata {

// Ways to choose an algorithm for each pass (Kim et al. 2017, section IV-B): the one that the user
// asks for, the one that the library would take, and the fastest that was measured.
enum class AlgorithmPolicy { user, heuristic, profiled };
inline constexpr std::array<std::string_view, 3> names_of(AlgorithmPolicy) {
    return {"user", "heuristic", "profiled"};
}

// What a policy costs a network: all passes of all its convolutions, each as often as the network
// has it, by the medians. Regret is what they take more than if each were the fastest.
struct PolicyCost {
    AlgorithmPolicy policy = AlgorithmPolicy::user;
    Seconds time = {};
    Seconds regret = {};
    std::size_t passes = 0;   // of distinct problems that it decides
    std::size_t slower = 0;   // of those: surely slower than the fastest
    std::size_t unknown = 0;  // whose choice was not measured; they are in neither time nor regret
};

// The time of one thing over another's, `after` over `before`, in rounds in which both took their
// turns: the n-th times belong together. Requires: two rounds or more; times above 0.
Ratio ratio_of_rounds(const std::vector<Seconds>& before, const std::vector<Seconds>& after);

// b's time over a's: of the rounds in which both were measured beside each other where they took
// turns, else of their medians. Requires: both have times above 0; two rounds or more.
Ratio time_ratio(const AlgorithmResult& a, const AlgorithmResult& b, AlgorithmSampling sampling);

// Sets the rank of each result that has a time among those of its layer's pass: 1, 2, 2, 4. In
// order of the medians, one that cannot be told from the first of a rank (its ratio's 95 % interval
// holds 1) shares that rank.
void rank_algorithms(AlgorithmComparison& comparison);

// By the marks of the results (is_asked, is_heuristic); none where nothing is ranked. Requires: the
// results are ranked.
std::vector<PolicyCost> policy_costs(const AlgorithmComparison& comparison);

// The fastest of each layer's pass, in the order of the results. Requires: as policy_costs.
std::vector<const AlgorithmResult*> fastest_algorithms(const AlgorithmComparison& comparison);

}  // namespace strata
