// SPDX-License-Identifier: MIT
#include "run/tuning_budget.h"

#include <algorithm>
#include <cmath>

namespace strata {

Seconds TuningCosts::turns(std::size_t networks, std::size_t rounds) const {
    return step * static_cast<double>((networks + 1) * rounds);
}

Seconds TuningCosts::trial(std::size_t networks) const {
    return preparation + turns(networks, rounds_to_decide);
}

Seconds TuningCosts::check(Seconds layer) const {
    const double share = step.value > 0 ? layer / step : 0;
    return checked.value > 0 ? checks * (layer / checked) : preparation * share;
}

Seconds TuningCosts::confirmation() const {
    return preparation + turns(1, rounds_to_confirm);
}

std::size_t rounds_that_fit(Seconds round, Seconds left, std::size_t wanted) {
    if (left.value <= 0) {
        return 0;
    }
    const double fitting = std::floor(left.value / std::max(round.value, 1e-9));
    return fitting >= static_cast<double>(wanted) ? wanted : static_cast<std::size_t>(fitting);
}

}  // namespace strata
