// SPDX-License-Identifier: MIT
#pragma once

#include "backend/reference/operands.h"

namespace strata {

// Layer and group normalisation alike: a tensor as rows of consecutive elements, each normalised by
// its own mean and variance. Row r belongs to group r % groups, whose elements share scale and
// shift by `inner` at a time.
struct RowNormalization {
    std::int64_t rows = 0;
    std::int64_t width = 0;
    std::int64_t groups = 1;
    std::int64_t inner = 1;
    double epsilon = 0;
    bool centred = true;    // whether the mean is taken off
    std::size_t scale = 0;  // operand; 0: none
    std::size_t shift = 0;

    std::size_t parameter_of(std::int64_t row, std::int64_t i) const {
        return static_cast<std::size_t>((row % groups) * (width / inner) + i / inner);
    }
};

RowNormalization rows_of(const LayerNormalization& op, const Signature& signature);
RowNormalization rows_of(const GroupNormalization& op, const Signature& signature);

struct RowMoments {
    double mean = 0;  // 0 where the mean stays
    double variance = 0;
    double inverse = 0;  // 1 / sqrt(variance + epsilon)
};

RowMoments moments_of(const RowNormalization& normalization, std::span<const float> x,
                      std::int64_t row);

}  // namespace strata
