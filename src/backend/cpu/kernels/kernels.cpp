// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/kernels.h"

#include "backend/cpu/kernels/fast_exp.h"
#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/narrow.h"
#include "backend/cpu/kernels/parallel_ranges.h"
#include "backend/semantics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace strata::cpu {

namespace {

STRATA_EACH_ISA void sgd_range(float* weight, float* momentum, const float* gradient,
                               std::size_t begin, std::size_t end, float rate, float keep) {
#pragma GCC ivdep
    for (std::size_t i = begin; i < end; ++i) {
        const float m = keep * momentum[i] + gradient[i];
        momentum[i] = m;
        weight[i] -= rate * m;
    }
}

STRATA_EACH_ISA void plain_sgd_range(float* weight, const float* gradient, std::size_t begin,
                                     std::size_t end, float rate) {
#pragma GCC ivdep
    for (std::size_t i = begin; i < end; ++i) {
        weight[i] -= rate * gradient[i];
    }
}

STRATA_EACH_ISA void adam_range(float* weight, float* mean, float* square, const float* gradient,
                                std::size_t begin, std::size_t end, AdamFactors by) {
#pragma GCC ivdep
    for (std::size_t i = begin; i < end; ++i) {
        const float g = gradient[i];
        const float m = by.keep1 * mean[i] + by.take1 * g;
        const float v = by.keep2 * square[i] + by.take2 * (g * g);
        mean[i] = m;
        square[i] = v;
        weight[i] -= by.rate * m / (std::sqrt(v) + by.epsilon);
    }
}

STRATA_EACH_ISA void add_range(const float* a, const float* b, float* y, std::size_t begin,
                               std::size_t end) {
#pragma GCC ivdep
    for (std::size_t i = begin; i < end; ++i) {
        y[i] = a[i] + b[i];
    }
}

void add_floats(std::span<void* const> terms, float* y, std::size_t first, std::size_t count) {
    const auto* sum = static_cast<const float*>(terms[0]);
    for (const void* next : terms.subspan(1)) {
        add_range(sum, static_cast<const float*>(next), y, first, first + count);
        sum = y;
    }
}

// Up to `max` elements.
template <std::size_t max>
void add_narrow(std::span<void* const> terms, const Elements& y, std::size_t first,
                std::size_t count) {
    float total[max];
    float term[max];
    load({terms[0], true}, first, count, total);
    for (void* next : terms.subspan(1)) {
        load({next, true}, first, count, term);
        add_range(total, term, total, 0, count);
    }
    store(total, count, y, first);
}

// Masks the product's bits. The compiler would turn a choice between the product and 0 into a
// branch, because an unneeded product may trap.
STRATA_EACH_ISA void masked_range(const float* x, const std::uint8_t* mask, float* y,
                                  std::size_t begin, std::size_t end, float scale) {
#pragma GCC ivdep
    for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t all_bits = 0U - mask[i];
        y[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(scale * x[i]) & all_bits);
    }
}

STRATA_EACH_ISA void choose(std::uint8_t* mask, std::size_t begin, std::size_t end,
                            DropoutChoice choice) {
#pragma GCC ivdep
    for (std::size_t i = begin; i < end; ++i) {
        mask[i] = choice.keeps(i) ? 1 : 0;
    }
}

STRATA_EACH_ISA void choose_by_index(std::uint8_t* mask, const float* index, std::size_t begin,
                                     std::size_t end, DropoutChoice choice) {
#pragma GCC ivdep
    for (std::size_t i = begin; i < end; ++i) {
        mask[i] = choice.keeps(static_cast<std::uint32_t>(index[i])) ? 1 : 0;
    }
}

float scale_of(double probability) {
    return static_cast<float>(1.0 / (1.0 - probability));
}

STRATA_EACH_ISA float greatest_of(const float* x, std::size_t count) {
    float greatest = x[0];
#pragma omp simd reduction(max : greatest)
    for (std::size_t i = 0; i < count; ++i) {
        greatest = greater_of(greatest, x[i]);
    }
    return greatest;
}

STRATA_EACH_ISA float exponential_sum(const float* x, std::size_t count, float greatest) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < count; ++i) {
        sum += fast_exp(x[i] - greatest);
    }
    return sum;
}

// y = share * exp(x - logarithm)
STRATA_EACH_ISA void scaled_softmax(const float* x, float* y, std::size_t count, float logarithm,
                                    float share) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
        y[i] = share * fast_exp(x[i] - logarithm);
    }
}

// log(sum of exp x), with the maximum subtracted first.
float log_sum_exp(const float* x, std::size_t classes) {
    const float greatest = greatest_of(x, classes);
    return greatest + std::log(exponential_sum(x, classes, greatest));
}

}  // namespace

void sgd_momentum(float* weight, float* momentum, const float* gradient, std::size_t count,
                  float rate, float keep) {
    parallel_ranges(count, [=](std::size_t begin, std::size_t end) {
        sgd_range(weight, momentum, gradient, begin, end, rate, keep);
    });
}

void sgd(float* weight, const float* gradient, std::size_t count, float rate) {
    parallel_ranges(count, [=](std::size_t begin, std::size_t end) {
        plain_sgd_range(weight, gradient, begin, end, rate);
    });
}

void adam(float* weight, float* mean, float* square, const float* gradient, std::size_t count,
          const AdamFactors& factors) {
    parallel_ranges(count, [=](std::size_t begin, std::size_t end) {
        adam_range(weight, mean, square, gradient, begin, end, factors);
    });
}

// Adds in pieces that stay in the L1 cache.
// In pieces that stay in the L1 cache.
void add_up(std::span<void* const> terms, const Elements& y, std::size_t count) {
    constexpr std::size_t piece = 2048;
    parallel_ranges(count, [=](std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; at += piece) {
            const std::size_t length = std::min(end - at, piece);
            y.narrow ? add_narrow<piece>(terms, y, at, length)
                     : add_floats(terms, static_cast<float*>(y.data), at, length);
        }
    });
}

void blend(float* running, const float* batch, std::size_t count, float keep) {
    for (std::size_t i = 0; i < count; ++i) {
        running[i] = keep * running[i] + (1 - keep) * batch[i];
    }
}

void dropout(const float* x, float* y, std::uint8_t* mask, std::size_t count,
             const DropoutDraw& draw) {
    const DropoutChoice choice(draw.seed, draw.probability);
    parallel_ranges(count, [=](std::size_t begin, std::size_t end) {
        if (draw.index == nullptr) {
            choose(mask, begin, end, choice);
        } else {
            choose_by_index(mask, draw.index, begin, end, choice);
        }
        masked_range(x, mask, y, begin, end, scale_of(draw.probability));
    });
}

void dropout_gradient(const float* dy, const std::uint8_t* mask, float* dx, std::size_t count,
                      double probability) {
    parallel_ranges(count, [=](std::size_t begin, std::size_t end) {
        masked_range(dy, mask, dx, begin, end, scale_of(probability));
    });
}

void softmax_cross_entropy(const float* x, const std::int32_t* labels, float* loss,
                           float* logarithms, std::size_t images, std::size_t classes) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (std::size_t image = 0; image < images; ++image) {
        const float* row = x + image * classes;
        logarithms[image] = log_sum_exp(row, classes);
        sum += logarithms[image] - row[labels[image]];
    }
    *loss = static_cast<float>(sum / static_cast<double>(images));
}

void softmax_cross_entropy_gradient(const float* x, const std::int32_t* labels,
                                    const float* logarithms, float* dx, std::size_t images,
                                    std::size_t classes) {
    const float share = 1.0F / static_cast<float>(images);
#pragma omp parallel for
    for (std::size_t image = 0; image < images; ++image) {
        float* out = dx + image * classes;
        scaled_softmax(x + image * classes, out, classes, logarithms[image], share);
        out[labels[image]] -= share;
    }
}

}  // namespace strata::cpu
