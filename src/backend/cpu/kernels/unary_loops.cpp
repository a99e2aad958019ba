// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/unary_loops.h"

#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/parallel_ranges.h"
#include "backend/cpu/kernels/vector_library.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace strata::cpu {

namespace {

// Always inlined, so that they are compiled for the caller's instruction set.
[[gnu::always_inline]] inline float truth(bool condition) {
    return condition ? 1.0F : 0.0F;
}

[[gnu::always_inline]] inline float sign_of(float x) {
    return x > 0 ? 1.0F : x < 0 ? -1.0F : x;
}

STRATA_EACH_ISA void values(UnaryKind kind, const float* x, float* y, std::size_t count) {
    const auto with = [=](auto function) __attribute__((always_inline)) {
#pragma GCC ivdep
        for (std::size_t i = 0; i < count; ++i) {
            y[i] = function(x[i]);
        }
    };
    switch (kind) {
        case UnaryKind::exponential:
            return with([](float v) { return ::expf(v); });
        case UnaryKind::logarithm:
            return with([](float v) { return ::logf(v); });
        case UnaryKind::square_root:
            return with([](float v) { return std::sqrt(v); });
        case UnaryKind::reciprocal:
            return with([](float v) { return 1 / v; });
        case UnaryKind::negate:
            return with([](float v) { return -v; });
        case UnaryKind::absolute:
            return with([](float v) { return std::abs(v); });
        case UnaryKind::sign:
            return with([](float v) { return sign_of(v); });
        case UnaryKind::error_function:
            return with([](float v) { return ::erff(v); });
        case UnaryKind::floor:
            return with([](float v) { return std::floor(v); });
        case UnaryKind::ceil:
            return with([](float v) { return std::ceil(v); });
        case UnaryKind::round:
            return with([](float v) { return std::nearbyint(v); });
        case UnaryKind::sine:
            return with([](float v) { return ::sinf(v); });
        case UnaryKind::cosine:
            return with([](float v) { return ::cosf(v); });
        case UnaryKind::tangent:
            return with([](float v) { return ::tanf(v); });
        case UnaryKind::arc_sine:
            return with([](float v) { return ::asinf(v); });
        case UnaryKind::arc_cosine:
            return with([](float v) { return ::acosf(v); });
        case UnaryKind::arc_tangent:
            return with([](float v) { return ::atanf(v); });
        case UnaryKind::hyperbolic_sine:
            return with([](float v) { return ::sinhf(v); });
        case UnaryKind::hyperbolic_cosine:
            return with([](float v) { return ::coshf(v); });
        case UnaryKind::inverse_hyperbolic_sine:
            return with([](float v) { return ::asinhf(v); });
        case UnaryKind::inverse_hyperbolic_cosine:
            return with([](float v) { return ::acoshf(v); });
        case UnaryKind::inverse_hyperbolic_tangent:
            return with([](float v) { return ::atanhf(v); });
        case UnaryKind::logical_not:
            return with([](float v) { return truth(v == 0); });
        case UnaryKind::is_nan:
            return with([](float v) { return truth(v != v); });
        case UnaryKind::is_infinite:
            return with([](float v) { return truth(std::abs(v) > 3.402823466e38F); });
    }
}

// dy times the derivative, in terms of the result for exponential, square_root, reciprocal and
// tangent, otherwise of the input.
STRATA_EACH_ISA void gradients(UnaryKind kind, const float* known, const float* dy, float* dx,
                               std::size_t count) {
    const auto with = [=](auto slope) __attribute__((always_inline)) {
#pragma GCC ivdep
        for (std::size_t i = 0; i < count; ++i) {
            dx[i] = dy[i] * slope(known[i]);
        }
    };
    switch (kind) {
        case UnaryKind::exponential:
            return with([](float y) { return y; });
        case UnaryKind::square_root:
            return with([](float y) { return 1 / (2 * y); });
        case UnaryKind::reciprocal:
            return with([](float y) { return -y * y; });
        case UnaryKind::tangent:
            return with([](float y) { return 1 + y * y; });
        case UnaryKind::logarithm:
            return with([](float x) { return 1 / x; });
        case UnaryKind::absolute:
            return with([](float x) { return sign_of(x); });
        case UnaryKind::error_function:
            return with(
                [](float x) { return 2 * std::numbers::inv_sqrtpi_v<float> * ::expf(-x * x); });
        case UnaryKind::sine:
            return with([](float x) { return ::cosf(x); });
        case UnaryKind::cosine:
            return with([](float x) { return -::sinf(x); });
        case UnaryKind::arc_sine:
            return with([](float x) { return 1 / std::sqrt((1 - x) * (1 + x)); });
        case UnaryKind::arc_cosine:
            return with([](float x) { return -1 / std::sqrt((1 - x) * (1 + x)); });
        case UnaryKind::arc_tangent:
            return with([](float x) { return 1 / (1 + x * x); });
        case UnaryKind::hyperbolic_sine:
            return with([](float x) { return ::coshf(x); });
        case UnaryKind::hyperbolic_cosine:
            return with([](float x) { return ::sinhf(x); });
        case UnaryKind::inverse_hyperbolic_sine:
            return with([](float x) { return 1 / std::sqrt(x * x + 1); });
        case UnaryKind::inverse_hyperbolic_cosine:
            return with([](float x) { return 1 / std::sqrt((x - 1) * (x + 1)); });
        case UnaryKind::inverse_hyperbolic_tangent:
            return with([](float x) { return 1 / ((1 - x) * (1 + x)); });
        case UnaryKind::negate:
            return with([](float) { return -1.0F; });
        case UnaryKind::sign:
        case UnaryKind::floor:
        case UnaryKind::ceil:
        case UnaryKind::round:
        case UnaryKind::logical_not:
        case UnaryKind::is_nan:
        case UnaryKind::is_infinite:
            std::fill_n(dx, count, 0.0F);
    }
}

}  // namespace

void unary(UnaryKind kind, const float* x, float* y, std::size_t count) {
    parallel_ranges(count, [=](std::size_t begin, std::size_t end) {
        values(kind, x + begin, y + begin, end - begin);
    });
}

void unary_gradient(UnaryKind kind, const float* known, const float* dy, float* dx,
                    std::size_t count) {
    parallel_ranges(count, [=](std::size_t begin, std::size_t end) {
        gradients(kind, known + begin, dy + begin, dx + begin, end - begin);
    });
}

}  // namespace strata::cpu
