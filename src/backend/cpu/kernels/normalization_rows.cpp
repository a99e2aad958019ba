// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/normalization_rows.h"

#include "backend/cpu/kernels/isa.h"

#include <cmath>

namespace strata::cpu {

namespace {

STRATA_EACH_ISA float sum_of(const float* x, std::size_t count) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < count; ++i) {
        sum += x[i];
    }
    return sum;
}

STRATA_EACH_ISA float squares_of(const float* x, std::size_t count, float mean) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < count; ++i) {
        sum += (x[i] - mean) * (x[i] - mean);
    }
    return sum;
}

STRATA_EACH_ISA void normalize_plain(const float* x, float* y, std::size_t count, float mean,
                                     float inverse) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
        y[i] = (x[i] - mean) * inverse;
    }
}

STRATA_EACH_ISA void multiply_by(float* y, const float* scale, std::size_t count) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
        y[i] *= scale[i];
    }
}

STRATA_EACH_ISA void add_to(float* y, const float* shift, std::size_t count) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
        y[i] += shift[i];
    }
}

STRATA_EACH_ISA void normalize_affine(const float* x, float* y, std::size_t count, float mean,
                                      float inverse, const float* scale, const float* shift) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
        y[i] = (x[i] - mean) * inverse * scale[i] + shift[i];
    }
}

STRATA_EACH_ISA void affine(const float* x, float* y, std::size_t count, float factor,
                            float offset) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
        y[i] = x[i] * factor + offset;
    }
}

STRATA_EACH_ISA void add_products(const float* x, const float* dy, float* sums, std::size_t count,
                                  float mean, float inverse) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
        sums[i] += dy[i] * (x[i] - mean) * inverse;
    }
}

STRATA_EACH_ISA GradientSums plain_sums(const float* x, const float* dy, std::size_t count,
                                        float mean, float inverse) {
    float of_gradient = 0, of_product = 0;
#pragma omp simd reduction(+ : of_gradient, of_product)
    for (std::size_t i = 0; i < count; ++i) {
        of_gradient += dy[i];
        of_product += dy[i] * (x[i] - mean);
    }
    return {of_gradient, of_product * inverse};
}

STRATA_EACH_ISA GradientSums scaled_sums(const float* x, const float* dy, const float* scale,
                                         std::size_t count, float mean, float inverse) {
    float of_gradient = 0, of_product = 0;
#pragma omp simd reduction(+ : of_gradient, of_product)
    for (std::size_t i = 0; i < count; ++i) {
        const float scaled = dy[i] * scale[i];
        of_gradient += scaled;
        of_product += scaled * (x[i] - mean);
    }
    return {of_gradient, of_product * inverse};
}

// a = inverse^2 mean(g x^) and b = mean(g): dx = inverse (g - b) - a (x - mean).
STRATA_EACH_ISA void scaled_gradient(const float* x, const float* dy, const float* scale, float* dx,
                                     std::size_t count, float mean, float inverse, float a,
                                     float b) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
        dx[i] = inverse * (dy[i] * scale[i] - b) - a * (x[i] - mean);
    }
}

STRATA_EACH_ISA void plain_gradient(const float* x, const float* dy, float* dx, std::size_t count,
                                    float factor, float mean, float a, float offset) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
        dx[i] = factor * dy[i] - a * (x[i] - mean) - offset;
    }
}

}  // namespace

RowStatistics row_statistics(const float* x, std::size_t count, float epsilon, bool centred) {
    const auto elements = static_cast<float>(count);
    const float mean = centred ? sum_of(x, count) / elements : 0.0F;
    const float variance = squares_of(x, count, mean) / elements;
    return {mean, 1 / std::sqrt(variance + epsilon)};
}

void normalize_row(const float* x, float* y, std::size_t count, const RowStatistics& by,
                   const float* scale, const float* shift) {
    if (scale != nullptr && shift != nullptr) {
        return normalize_affine(x, y, count, by.mean, by.inverse, scale, shift);
    }
    normalize_plain(x, y, count, by.mean, by.inverse);
    if (scale != nullptr) {
        multiply_by(y, scale, count);
    }
    if (shift != nullptr) {
        add_to(y, shift, count);
    }
}

void scale_and_shift(const float* x, float* y, std::size_t count, float factor, float offset) {
    affine(x, y, count, factor, offset);
}

GradientSums row_gradient_sums(const float* x, const float* dy, std::size_t count,
                               const RowStatistics& by, const float* scale, float* scale_gradient,
                               float* shift_gradient) {
    if (scale_gradient != nullptr) {
        add_products(x, dy, scale_gradient, count, by.mean, by.inverse);
    }
    if (shift_gradient != nullptr) {
        add_to(shift_gradient, dy, count);
    }
    return scale != nullptr ? scaled_sums(x, dy, scale, count, by.mean, by.inverse)
                            : plain_sums(x, dy, count, by.mean, by.inverse);
}

GradientSums part_gradient_sums(const float* x, const float* dy, std::size_t count,
                                const RowStatistics& by) {
    return plain_sums(x, dy, count, by.mean, by.inverse);
}

void row_gradient(const float* x, const float* dy, float* dx, std::size_t count,
                  const RowStatistics& by, const float* scale, const GradientSums& means) {
    if (scale == nullptr) {
        return part_gradient(x, dy, dx, count, by, 1, means);
    }
    scaled_gradient(x, dy, scale, dx, count, by.mean, by.inverse,
                    by.inverse * by.inverse * means.of_product, means.of_gradient);
}

void part_gradient(const float* x, const float* dy, float* dx, std::size_t count,
                   const RowStatistics& by, float scale, const GradientSums& means) {
    plain_gradient(x, dy, dx, count, by.inverse * scale, by.mean,
                   by.inverse * by.inverse * means.of_product, by.inverse * means.of_gradient);
}

}  // namespace strata::cpu
