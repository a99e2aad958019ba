// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "device/device.h"

#include <cstddef>
#include <string>
#include <string_view>
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

// "measured 2026-11-28 by strata calibrate".
std::string measured_now();

// The best kernel's rate, and as text: date, kernel and note; after a semicolon how far its median
// is below, and the others' rates in this unit. Requires: all not empty.
//   "measured 2026-11-28 by strata calibrate: read, 12 MiB; best of 20, median 0.3 % lower; others:
//    triad 7.4 TB/s, copy 5.91 TB/s"
struct BestRate {
    double value = 0;
    std::string source = {};
};
BestRate best_rate(std::vector<Rates> all, std::string_view unit, const std::string& note = "");

inline constexpr std::string_view unit_of(FlopRate) {
    return "FLOP/s";
}
inline constexpr std::string_view unit_of(Bandwidth) {
    return "B/s";
}

// The same as a ceiling.
template <class Rate>
Fact<Rate> best_of(std::vector<Rates> all, const std::string& note = "") {
    const BestRate best = best_rate(std::move(all), unit_of(Rate{}), note);
    return {.value = {best.value}, .source = best.source};
}

}  // namespace strata
