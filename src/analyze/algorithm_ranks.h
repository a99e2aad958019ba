// SPDX-License-Identifier: MIT
#pragma once

#include "measure/ratio.h"
#include "record/algorithm.h"

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace strata {

// Ways to choose an algorithm for each pass (Kim et al. 2017, section IV-B): the requested one, the
// library's choice, and the fastest measured.
enum class AlgorithmPolicy { user, heuristic, profiled };
inline constexpr std::array<std::string_view, 3> names_of(AlgorithmPolicy) {
    return {"user", "heuristic", "profiled"};
}

// The cost of a policy for a network: all passes of all its convolutions, each as often as it
// occurs in the network, by the medians. Regret is the excess over the fastest choice for each.
struct PolicyCost {
    AlgorithmPolicy policy = AlgorithmPolicy::user;
    Seconds time = {};
    Seconds regret = {};
    std::size_t passes = 0;   // distinct problems that it decides
    std::size_t slower = 0;   // of these, certainly slower than the fastest
    std::size_t unknown = 0;  // choices not measured; in neither time nor regret
};

// The ratio of two times, `after` over `before`, from rounds in which both alternated: the n-th
// times belong together. Requires: two rounds or more; times above 0.
Ratio ratio_of_rounds(const std::vector<Seconds>& before, const std::vector<Seconds>& after);

// b's time over a's: from the rounds if the two alternated, else from their medians. Requires: both
// have times above 0; two rounds or more.
Ratio time_ratio(const AlgorithmResult& a, const AlgorithmResult& b, AlgorithmSampling sampling);

// Ranks the results with times within each layer's pass: 1, 2, 2, 4. In order of the medians, a
// result indistinguishable from the first of a rank (the 95 % interval of its ratio contains 1)
// shares that rank.
void rank_algorithms(AlgorithmComparison& comparison);

// Uses the results' marks is_asked and is_heuristic; empty if nothing is ranked. Requires: the
// results are ranked.
std::vector<PolicyCost> policy_costs(const AlgorithmComparison& comparison);

// The fastest of each layer's pass, in the order of the results. Requires: as for policy_costs.
std::vector<const AlgorithmResult*> fastest_algorithms(const AlgorithmComparison& comparison);

}  // namespace strata
