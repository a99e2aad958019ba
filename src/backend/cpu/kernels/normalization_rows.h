// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace strata::cpu {

// The statistics that normalise one row.
struct RowStatistics {
    float mean = 0;
    float inverse = 1;  // 1 / sqrt(variance + epsilon)
};

RowStatistics row_statistics(const float* x, std::size_t count, float epsilon, bool centred);

// y = (x - mean) * inverse * scale + shift, where each element has its own scale and shift; null
// means 1 and 0.
void normalize_row(const float* x, float* y, std::size_t count, const RowStatistics& by,
                   const float* scale, const float* shift);
// y = x * factor + offset.
void scale_and_shift(const float* x, float* y, std::size_t count, float factor, float offset);

// The sums of dy and of dy x^ over one row, or over the part of a row that shares a scale, where x^
// is the normalised value.
struct GradientSums {
    float of_gradient = 0;
    float of_product = 0;
};

// The sums with dy times each element's own scale; adds dy x^ and dy to the parameters' gradients,
// which may be null.
GradientSums row_gradient_sums(const float* x, const float* dy, std::size_t count,
                               const RowStatistics& by, const float* scale, float* scale_gradient,
                               float* shift_gradient);
GradientSums part_gradient_sums(const float* x, const float* dy, std::size_t count,
                                const RowStatistics& by);

// dx = inverse (dy scale - means.of_gradient - x^ means.of_product)
void row_gradient(const float* x, const float* dy, float* dx, std::size_t count,
                  const RowStatistics& by, const float* scale, const GradientSums& means);
// The same with one scale.
void part_gradient(const float* x, const float* dy, float* dx, std::size_t count,
                   const RowStatistics& by, float scale, const GradientSums& means);

}  // namespace strata::cpu
