// SPDX-License-Identifier: MIT
#pragma once

#include "backend/reference/operands.h"

namespace strata {

// Which elements share a mean and a variance in a batch normalisation: of statistic g, the elements
// (n * statistics + g) * inner + i for every image n and i < inner.
struct StatisticGroups {
    std::int64_t images = 0;
    std::int64_t statistics = 0;
    std::int64_t inner = 0;

    double count() const { return static_cast<double>(images * inner); }

    // Calls use(index) for every element of one statistic.
    template <class Use>
    void for_each_element(std::int64_t g, Use&& use) const {
        for (std::int64_t n = 0; n < images; ++n) {
            const std::int64_t start = (n * statistics + g) * inner;
            for (std::int64_t i = start; i < start + inner; ++i) {
                use(static_cast<std::size_t>(i));
            }
        }
    }
};

// Requires: the operands of a batch normalisation.
StatisticGroups groups_of(const ReferenceOperands& operands);

struct Moments {
    double mean = 0;
    double variance = 0;  // biased: divided by the count
};

// What a batch normalisation uses for one statistic: of the batch in training, the running ones in
// inference.
Moments moments_of(const ReferenceOperands& operands, const StatisticGroups& groups,
                   std::int64_t g);

}  // namespace strata
