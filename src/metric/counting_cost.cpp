// SPDX-License-Identifier: MIT
#include "metric/counting_cost.h"

#include <fmt/format.h>

namespace strata {

std::size_t runs_of(const CountingCost& cost) {
    return cost.passes * cost.pieces;
}

std::string cost_sentence(const CountingCost& cost) {
    std::string sentence = fmt::format(
        "counting {} counters takes {} {}: {} distinct steps are run {} times", cost.counters,
        cost.passes, cost.passes == 1 ? "pass" : "passes", cost.pieces, runs_of(cost));
    if (cost.once) {
        const double once = cost.once->value * 1e3;
        sentence += fmt::format(", at least {:.3g} ms of work that takes {:.3g} ms unobserved",
                                once * static_cast<double>(cost.passes), once);
    }
    return sentence;
}

}  // namespace strata
