// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/unary_loops.h"

#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/parallel_ranges.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace strata::cpu {

namespace {

float truth(bool condition) {
    return condition ? 1.0F : 0.0F;
}

// Always inlined, so that it is compiled for the caller's instruction set.
[[gnu::always_inline]] inline float sign_of(float x) {
    return x > 0 ? 1.0F : x < 0 ? -1.0F : x;
}

// x P(x^2) / Q(x^2), fitted by least squares with iterated weights to the relative error on
// 0 ... 3.92, beyond which a float's result is 1; wrong by at most 4e-7.
[[gnu::always_inline]] inline float error_function(float x) {
    const float within = std::min(3.92F, std::max(-3.92F, x));
    const float z = within * within;
    const float p =
        ((((2.0501118e-6F * z + 2.8487772e-4F) * z + 3.7654280e-3F) * z + 5.2748144e-2F) * z +
         1.9040217e-1F) *
            z +
        1.1283791F;
    const float q =
        ((((3.8091704e-5F * z + 1.1624881e-3F) * z + 1.4968841e-2F) * z + 1.1410733e-1F) * z +
         5.0207227e-1F) *
            z +
        1.0F;
    return x == x ? within * p / q : x;
}

template <class Function>
[[gnu::always_inline]] inline void each(const float* x, float* y, std::size_t count,
                                        Function function) {
    for (std::size_t i = 0; i < count; ++i) {
        y[i] = function(x[i]);
    }
}

// Functions that compile to vector instructions.
STRATA_EACH_ISA void simple_range(UnaryKind kind, const float* x, float* y, std::size_t count) {
    const auto with = [=](auto function) __attribute__((always_inline)) {
        each(x, y, count, function);
    };
    switch (kind) {
        case UnaryKind::reciprocal:
            return with([](float v) { return 1 / v; });
        case UnaryKind::negate:
            return with([](float v) { return -v; });
        case UnaryKind::absolute:
            return with([](float v) { return std::abs(v); });
        case UnaryKind::square_root:
            return with([](float v) { return std::sqrt(v); });
        case UnaryKind::sign:
            return with([](float v) { return sign_of(v); });
        case UnaryKind::error_function:
            return with([](float v) { return error_function(v); });
        case UnaryKind::floor:
            return with([](float v) { return std::floor(v); });
        case UnaryKind::ceil:
            return with([](float v) { return std::ceil(v); });
        case UnaryKind::round:
            return with([](float v) { return std::nearbyint(v); });
        case UnaryKind::logical_not:
            return with([](float v) { return truth(v == 0); });
        case UnaryKind::is_nan:
            return with([](float v) { return truth(v != v); });
        case UnaryKind::is_infinite:
            return with([](float v) { return truth(std::abs(v) > 3.402823466e38F); });
        default:
            return;
    }
}

// Functions of the mathematical library, one element at a time.
void library_range(UnaryKind kind, const float* x, float* y, std::size_t count) {
    const auto with = [=](auto function) { each(x, y, count, function); };
    switch (kind) {
        case UnaryKind::exponential:
            return with([](float v) { return std::exp(v); });
        case UnaryKind::logarithm:
            return with([](float v) { return std::log(v); });
        case UnaryKind::sine:
            return with([](float v) { return std::sin(v); });
        case UnaryKind::cosine:
            return with([](float v) { return std::cos(v); });
        case UnaryKind::tangent:
            return with([](float v) { return std::tan(v); });
        case UnaryKind::arc_sine:
            return with([](float v) { return std::asin(v); });
        case UnaryKind::arc_cosine:
            return with([](float v) { return std::acos(v); });
        case UnaryKind::arc_tangent:
            return with([](float v) { return std::atan(v); });
        case UnaryKind::hyperbolic_sine:
            return with([](float v) { return std::sinh(v); });
        case UnaryKind::hyperbolic_cosine:
            return with([](float v) { return std::cosh(v); });
        case UnaryKind::inverse_hyperbolic_sine:
            return with([](float v) { return std::asinh(v); });
        case UnaryKind::inverse_hyperbolic_cosine:
            return with([](float v) { return std::acosh(v); });
        case UnaryKind::inverse_hyperbolic_tangent:
            return with([](float v) { return std::atanh(v); });
        default:
            return simple_range(kind, x, y, count);
    }
}

// The derivative, in terms of the result for exponential, square_root, reciprocal and tangent,
// otherwise of the input.
float slope(UnaryKind kind, float known) {
    const float x = known, y = known;
    switch (kind) {
        case UnaryKind::exponential:
            return y;
        case UnaryKind::square_root:
            return 1 / (2 * y);
        case UnaryKind::reciprocal:
            return -y * y;
        case UnaryKind::tangent:
            return 1 + y * y;
        case UnaryKind::logarithm:
            return 1 / x;
        case UnaryKind::absolute:
            return sign_of(x);
        case UnaryKind::error_function:
            return 2 * std::numbers::inv_sqrtpi_v<float> * std::exp(-x * x);
        case UnaryKind::sine:
            return std::cos(x);
        case UnaryKind::cosine:
            return -std::sin(x);
        case UnaryKind::arc_sine:
            return 1 / std::sqrt((1 - x) * (1 + x));
        case UnaryKind::arc_cosine:
            return -1 / std::sqrt((1 - x) * (1 + x));
        case UnaryKind::arc_tangent:
            return 1 / (1 + x * x);
        case UnaryKind::hyperbolic_sine:
            return std::cosh(x);
        case UnaryKind::hyperbolic_cosine:
            return std::sinh(x);
        case UnaryKind::inverse_hyperbolic_sine:
            return 1 / std::sqrt(x * x + 1);
        case UnaryKind::inverse_hyperbolic_cosine:
            return 1 / std::sqrt((x - 1) * (x + 1));
        case UnaryKind::inverse_hyperbolic_tangent:
            return 1 / ((1 - x) * (1 + x));
        case UnaryKind::negate:
            return -1;
        default:  // step functions
            return 0;
    }
}

}  // namespace

void unary(UnaryKind kind, const float* x, float* y, std::size_t count) {
    parallel_ranges(count, [=](std::size_t begin, std::size_t end) {
        library_range(kind, x + begin, y + begin, end - begin);
    });
}

void unary_gradient(UnaryKind kind, const float* known, const float* dy, float* dx,
                    std::size_t count) {
    parallel_ranges(count, [=](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            dx[i] = dy[i] * slope(kind, known[i]);
        }
    });
}

}  // namespace strata::cpu
