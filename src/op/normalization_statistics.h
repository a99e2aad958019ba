// SPDX-License-Identifier: MIT
#pragma once

#include "op/normalization.h"

#include <cmath>

namespace strata {

// Which elements of a normalisation share a mean and a variance, and those statistics.

// Layer and group normalisation: a tensor as rows of consecutive elements, each normalised by
// its own mean and variance. Row r belongs to group r % groups, whose elements share scale and
// shift by `inner` at a time.
struct RowNormalization {
    std::int64_t rows = 0;
    std::int64_t width = 0;
    std::int64_t groups = 1;
    std::int64_t inner = 1;
    double epsilon = 0;
    bool centred = true;    // whether the mean is subtracted
    std::size_t scale = 0;  // operand; 0: none
    std::size_t shift = 0;

    std::size_t parameter_of(std::int64_t row, std::int64_t i) const {
        return static_cast<std::size_t>((row % groups) * (width / inner) + i / inner);
    }
    std::span<const float> row_of(std::span<const float> values, std::int64_t row) const {
        return values.subspan(static_cast<std::size_t>(row * width),
                              static_cast<std::size_t>(width));
    }
};

RowNormalization rows_of(const LayerNormalization& op, const Signature& signature);
RowNormalization rows_of(const GroupNormalization& op, const Signature& signature);

// Batch normalisation: statistic g covers the elements (n * statistics + g) * inner + i for every
// image n and i < inner.
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

// Requires: the layer is a batch normalisation.
StatisticGroups groups_of(const Signature& signature);

struct Moments {
    double mean = 0;      // 0 if the mean is not subtracted
    double variance = 0;  // biased: divided by the count

    double inverse_deviation(double epsilon) const { return 1 / std::sqrt(variance + epsilon); }
};

Moments moments_of(const RowNormalization& rows, std::span<const float> x, std::int64_t row);
Moments moments_of(const StatisticGroups& groups, std::span<const float> x, std::int64_t g);

// How strongly rounding affects the worst statistic of a normalisation.
struct Conditioning {
    double normalized = 0;  // root mean square of x / deviation, before the mean is subtracted
    double factor = 0;      // scale / deviation
    double forward = 0;     // scale times normalized

    void include(const Moments& moments, double scale, double epsilon);
};

// The sums of layer and group normalisation (operator.h).
SumShape forward_sum(const RowNormalization& rows, const OperandValues& values);
SumShape gradient_sum(const RowNormalization& rows, const OperandValues& values,
                      std::size_t operand);

}  // namespace strata
