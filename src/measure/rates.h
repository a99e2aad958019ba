// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "device/device.h"

#include <cstddef>
#include <string>
#include <vector>

namespace strata {

// The throughput of a kernel, in operations or bytes per second.
struct Rates {
    std::string kernel = {};
    double best = 0;
    double median = 0;
    std::size_t samples = 0;
};

// Rates from times of equal work. Requires: times not empty, all above 0.
Rates rates_from(std::string kernel, double work, const std::vector<Seconds>& times);

// The best kernel's rate, and as text: date, kernel, how far its median is below, the others'
// rates. Requires: all not empty.
struct BestRate {
    double value = 0;
    std::string source = {};
};
BestRate best_rate(std::vector<Rates> all, const std::string& note = "");

// The same as a ceiling.
template <class Rate>
Fact<Rate> best_of(std::vector<Rates> all, const std::string& note = "") {
    const BestRate best = best_rate(std::move(all), note);
    return {.value = {best.value}, .source = best.source};
}

}  // namespace strata
