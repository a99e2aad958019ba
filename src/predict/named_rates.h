// SPDX-License-Identifier: MIT
#pragma once

#include "predict/rates.h"

#include <string_view>
#include <vector>

namespace strata {

// A rate, its name in files, and how strongly a fit holds it to its prior, in rows.
struct NamedRate {
    std::string_view name;
    double* value;
    double pull = 0.02;  // so that rates without evidence do not move, and a few rows move others
};

// THE lists of rates: files contain them, and fits move the positive ones.
std::vector<NamedRate> named_rates(GemmRates& rates);
std::vector<NamedRate> named_rates(KernelRates& rates);
std::vector<NamedRate> named_rates(ConvolutionRates& rates);
std::vector<NamedRate> named_rates(StreamingRates& rates);
std::vector<NamedRate> named_rates(RecurrentRates& rates);
std::vector<NamedRate> named_rates(FusedRates& rates);
std::vector<NamedRate> named_rates(TrainingStepRates& rates);

// Rates that a fit does not move: it tries values of them.
std::vector<NamedRate> named_choices(FusedRates& rates);

}  // namespace strata
