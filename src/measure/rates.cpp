// SPDX-License-Identifier: MIT
#include "measure/rates.h"

#include "measure/statistics.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace strata {

Rates rates_from(std::string kernel, double work, const std::vector<Seconds>& times) {
    return {.kernel = std::move(kernel),
            .best = work / std::ranges::min(times).value,
            .median = work / median_of(times).value,
            .samples = times.size()};
}

BestRate best_rate(std::vector<Rates> all, const std::string& note) {
    std::ranges::stable_sort(all, std::ranges::greater{}, &Rates::best);
    std::string source = fmt::format(
        "measured {:%Y-%m-%d} by strata calibrate: {}; best of {}, median {:.1f} % lower",
        fmt::gmtime(std::time(nullptr)), all[0].kernel, all[0].samples,
        100 * (1 - all[0].median / all[0].best));
    for (std::size_t i = 1; i < all.size(); ++i) {
        source += fmt::format("; {}: {:.3g}", all[i].kernel, all[i].best);
    }
    return {all[0].best, source + note};
}

}  // namespace strata
