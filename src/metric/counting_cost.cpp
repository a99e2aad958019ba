// SPDX-License-Identifier: MIT
#include "metric/counting_cost.h"

#include <fmt/format.h>

namespace strata {

std::string cost_sentence(const CountingCost& cost) {
    std::string sentence =
        fmt::format("counting {} counters of {} steps takes {} iteration{}", cost.counters,
                    cost.steps, cost.passes, cost.passes == 1 ? "" : "s");
    if (cost.iteration) {
        const double once = cost.iteration->value * 1e3;
        sentence += fmt::format(", at least {:.3g} ms ({:.3g} ms each unobserved)",
                                once * static_cast<double>(cost.passes), once);
    }
    return sentence;
}

}  // namespace strata
