// SPDX-License-Identifier: MIT
#include "measure/rates.h"

#include "base/unit_text.h"
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

std::string measured_now() {
    return fmt::format("measured {:%Y-%m-%d} by strata calibrate", fmt::gmtime(std::time(nullptr)));
}

BestRate best_rate(std::vector<Rates> all, std::string_view unit, const std::string& note) {
    std::ranges::stable_sort(all, std::ranges::greater{}, &Rates::best);
    std::string source =
        fmt::format("{}: {}{}; best of {}, median {:.1f} % lower", measured_now(), all[0].kernel,
                    note, all[0].samples, 100 * (1 - all[0].median / all[0].best));
    for (std::size_t i = 1; i < all.size(); ++i) {
        source += fmt::format("{} {} {}", i == 1 ? "; others:" : ",", all[i].kernel,
                              text_with_unit(all[i].best, unit));
    }
    return {all[0].best, std::move(source)};
}

}  // namespace strata
