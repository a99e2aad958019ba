// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/activation_loops.h"

#include "backend/cpu/kernels/fast_exp.h"
#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/parallel_ranges.h"

#include <algorithm>
#include <cmath>

namespace strata::cpu {

namespace {

// The function's two parameters.
struct Parameters {
    explicit Parameters(const Activation& op)
        : alpha(static_cast<float>(op.alpha)),
          beta(op.kind == ActivationKind::celu ? 1 : static_cast<float>(op.beta)),
          gamma(op.kind == ActivationKind::celu ? static_cast<float>(op.alpha) : 1) {}

    float alpha;
    float beta;
    float gamma;  // of beta (x > 0 ? x : alpha (exp(x / gamma) - 1)), which includes selu and celu
};

STRATA_EACH_ISA void values(ActivationKind kind, Parameters p, const float* x, float* y,
                            std::size_t count) {
    const auto with = [=](auto function) __attribute__((always_inline)) {
        for (std::size_t i = 0; i < count; ++i) {
            y[i] = function(x[i]);
        }
    };
    switch (kind) {
        case ActivationKind::hard_sigmoid:
            return with([=](float v) __attribute__((always_inline)) {
                return std::max(0.0F, std::min(1.0F, p.alpha * v + p.beta));
            });
        case ActivationKind::softsign:
            return with([](float v)
                            __attribute__((always_inline)) { return v / (1 + std::abs(v)); });
        // Subtracting 1 loses digits near 0, but none that matter next to the other values of a
        // tensor.
        case ActivationKind::selu:
        case ActivationKind::celu:
            return with([=](float v) __attribute__((always_inline)) {
                return p.beta * (v > 0 ? v : p.alpha * (fast_exp(v / p.gamma) - 1));
            });
        default:
            return with([=](float v)
                            __attribute__((always_inline)) { return v > p.alpha ? v : 0.0F; });
    }
}

// A slope is computed before its condition: a conditional load would not be vectorised.
STRATA_EACH_ISA void gradients(ActivationKind kind, Parameters p, const float* x, const float* dy,
                               float* dx, std::size_t count) {
    const auto with = [=](auto function) __attribute__((always_inline)) {
#pragma GCC ivdep
        for (std::size_t i = 0; i < count; ++i) {
            dx[i] = function(x[i], dy[i]);
        }
    };
    switch (kind) {
        case ActivationKind::hard_sigmoid:
            return with([=](float v, float slope) __attribute__((always_inline)) {
                const float linear = p.alpha * v + p.beta, within = p.alpha * slope;
                return linear > 0 && linear < 1 ? within : 0.0F;
            });
        case ActivationKind::softsign:
            return with([](float v, float slope) __attribute__((always_inline)) {
                const float divisor = 1 + std::abs(v);
                return slope / (divisor * divisor);
            });
        case ActivationKind::selu:
        case ActivationKind::celu:
            return with([=](float v, float slope) __attribute__((always_inline)) {
                return slope * p.beta * (v > 0 ? 1 : p.alpha / p.gamma * fast_exp(v / p.gamma));
            });
        case ActivationKind::hard_swish:
            return with([](float v, float slope) __attribute__((always_inline)) {
                const float above = slope * (v < 3 ? v / 3 + 0.5F : 1.0F);
                return v > -3 ? above : 0.0F;
            });
        default:
            return with([=](float v, float slope)
                            __attribute__((always_inline)) { return v > p.alpha ? slope : 0.0F; });
    }
}

}  // namespace

bool has_activation_loops(ActivationKind kind) {
    return kind == ActivationKind::hard_sigmoid || kind == ActivationKind::softsign ||
           kind == ActivationKind::selu || kind == ActivationKind::celu ||
           kind == ActivationKind::thresholded_relu;
}

bool has_gradient_loops(ActivationKind kind) {
    return has_activation_loops(kind) || kind == ActivationKind::hard_swish;
}

void activate(const Activation& op, const float* x, float* y, std::size_t count) {
    parallel_ranges(count, [&](std::size_t begin, std::size_t end) {
        values(op.kind, Parameters(op), x + begin, y + begin, end - begin);
    });
}

void activate_gradient(const Activation& op, const Elements& x, const Elements& dy,
                       const Elements& dx, std::size_t count) {
    constexpr std::size_t piece = 2048;
    parallel_ranges(count, [&](std::size_t begin, std::size_t end) {
        float values[piece];
        float gradient[piece];
        for (std::size_t at = begin; at < end; at += piece) {
            const std::size_t length = std::min(end - at, piece);
            load(x, at, length, values);
            load(dy, at, length, gradient);
            gradients(op.kind, Parameters(op), values, gradient, gradient, length);
            store(gradient, length, dx, at);
        }
    });
}

}  // namespace strata::cpu
