// SPDX-License-Identifier: MIT
#include "measure/iteration.h"

namespace strata {

Samples sum_of_parts(const SampledIteration& sampled) {
    Samples sum;
    sum.values.resize(sampled.instrumented.values.size());
    for (const Samples& part : sampled.parts) {
        for (std::size_t i = 0; i < sum.values.size(); ++i) {
            sum.values[i] += part.values[i];
        }
    }
    return sum;
}

}  // namespace strata
