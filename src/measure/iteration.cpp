// SPDX-License-Identifier: MIT
#include "measure/iteration.h"

#include <algorithm>

namespace strata {

Samples sum_of_parts(const SampledIteration& sampled) {
    Samples sum;
    sum.values.resize(sampled.instrumented.values.size());
    for (const Samples& part : sampled.parts) {
        for (std::size_t i = 0; i < sum.values.size(); ++i) {
            sum.values[i] += part.values[i];
        }
        sum.disturbed.resize(std::max(sum.disturbed.size(), part.disturbed.size()));
        for (std::size_t i = 0; i < part.disturbed.size(); ++i) {
            sum.disturbed[i] = sum.disturbed[i] || part.disturbed[i];
        }
    }
    return sum;
}

}  // namespace strata
