// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/activation_loops.h"

#include "backend/cpu/kernels/fast_exp.h"
#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/parallel_ranges.h"

#include <algorithm>
#include <cmath>

namespace strata::cpu {

namespace {

// A range of an array and the function's two parameters.
struct Piece {
    const float* x = nullptr;
    const float* dy = nullptr;
    float* to = nullptr;
    std::size_t count = 0;
    float alpha = 0;
    float beta = 0;
};

STRATA_EACH_ISA void hard_sigmoid(const Piece& p) {
    for (std::size_t i = 0; i < p.count; ++i) {
        p.to[i] = std::max(0.0F, std::min(1.0F, p.alpha * p.x[i] + p.beta));
    }
}

STRATA_EACH_ISA void hard_sigmoid_gradient(const Piece& p) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < p.count; ++i) {
        const float linear = p.alpha * p.x[i] + p.beta;
        const float slope = p.alpha * p.dy[i];
        p.to[i] = linear > 0 && linear < 1 ? slope : 0.0F;
    }
}

STRATA_EACH_ISA void softsign(const Piece& p) {
    for (std::size_t i = 0; i < p.count; ++i) {
        p.to[i] = p.x[i] / (1 + std::abs(p.x[i]));
    }
}

STRATA_EACH_ISA void softsign_gradient(const Piece& p) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < p.count; ++i) {
        const float divisor = 1 + std::abs(p.x[i]);
        p.to[i] = p.dy[i] / (divisor * divisor);
    }
}

// beta (x > 0 ? x : alpha (exp(x / gamma) - 1)), which includes selu and celu. Subtracting 1 loses
// digits near 0, but none that matter next to the other values of a tensor.
STRATA_EACH_ISA void exponential_linear(const Piece& p, float gamma) {
    for (std::size_t i = 0; i < p.count; ++i) {
        const float x = p.x[i];
        p.to[i] = p.beta * (x > 0 ? x : p.alpha * (fast_exp(x / gamma) - 1));
    }
}

STRATA_EACH_ISA void exponential_linear_gradient(const Piece& p, float gamma) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < p.count; ++i) {
        const float x = p.x[i];
        p.to[i] = p.dy[i] * p.beta * (x > 0 ? 1 : p.alpha / gamma * fast_exp(x / gamma));
    }
}

STRATA_EACH_ISA void thresholded_relu(const Piece& p) {
    for (std::size_t i = 0; i < p.count; ++i) {
        p.to[i] = p.x[i] > p.alpha ? p.x[i] : 0.0F;
    }
}

STRATA_EACH_ISA void thresholded_relu_gradient(const Piece& p) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < p.count; ++i) {
        const float slope = p.dy[i];  // A conditional load would not be vectorised.
        p.to[i] = p.x[i] > p.alpha ? slope : 0.0F;
    }
}

STRATA_EACH_ISA void hard_swish_gradient(const Piece& p) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < p.count; ++i) {
        const float x = p.x[i];
        const float slope = p.dy[i] * (x < 3 ? x / 3 + 0.5F : 1.0F);
        p.to[i] = x > -3 ? slope : 0.0F;
    }
}

void value(ActivationKind kind, const Piece& p) {
    switch (kind) {
        case ActivationKind::hard_sigmoid:
            return hard_sigmoid(p);
        case ActivationKind::softsign:
            return softsign(p);
        case ActivationKind::selu:
            return exponential_linear(p, 1);
        case ActivationKind::celu:
            return exponential_linear({p.x, p.dy, p.to, p.count, p.alpha, 1}, p.alpha);
        default:
            return thresholded_relu(p);
    }
}

void gradient(ActivationKind kind, const Piece& p) {
    switch (kind) {
        case ActivationKind::hard_sigmoid:
            return hard_sigmoid_gradient(p);
        case ActivationKind::softsign:
            return softsign_gradient(p);
        case ActivationKind::selu:
            return exponential_linear_gradient(p, 1);
        case ActivationKind::celu:
            return exponential_linear_gradient({p.x, p.dy, p.to, p.count, p.alpha, 1}, p.alpha);
        case ActivationKind::hard_swish:
            return hard_swish_gradient(p);
        default:
            return thresholded_relu_gradient(p);
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
        value(op.kind, {x + begin, nullptr, y + begin, end - begin, static_cast<float>(op.alpha),
                        static_cast<float>(op.beta)});
    });
}

void activate_gradient(const Activation& op, const float* x, const float* dy, float* dx,
                       std::size_t count) {
    parallel_ranges(count, [&](std::size_t begin, std::size_t end) {
        gradient(op.kind, {x + begin, dy + begin, dx + begin, end - begin,
                           static_cast<float>(op.alpha), static_cast<float>(op.beta)});
    });
}

}  // namespace strata::cpu
