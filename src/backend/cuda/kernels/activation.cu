// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/elementwise.h"

#include "backend/cuda/kernels/map.cuh"
#include "backend/cuda/kernels/with_constant.h"

namespace strata::cuda {

namespace {

__device__ float sigmoid(float x) {
    return 1 / (1 + expf(-x));
}

// log(1 + exp x), which must not overflow for large x.
__device__ float softplus(float x) {
    return fmaxf(x, 0) + log1pf(expf(-fabsf(x)));
}

__device__ float normal_integral(float x) {
    constexpr float inverse_root_two = 0.70710678F;
    return erfcf(-x * inverse_root_two) / 2;
}

__device__ float normal_density(float x) {
    constexpr float inverse_root_two_pi = 0.39894228F;
    return expf(-x * x / 2) * inverse_root_two_pi;
}

constexpr float gelu_cubic = 0.044715F;
constexpr float gelu_scale = 0.79788456F;  // sqrt(2 / pi)

__device__ float gelu_tanh_of(float x) {
    return tanhf(gelu_scale * (x + gelu_cubic * x * x * x));
}

__device__ float unit_clamp(float x) {
    return fminf(fmaxf(x, 0), 1);
}

// The functions of op/activation.h, and their slopes from what `Activation::reads` keeps: the
// output if that is enough, otherwise the input. `data` is one or the other, as each case says.
template <ActivationKind kind>
struct Function {
    float alpha;
    float beta;

    __device__ float value(float x) const {
        if constexpr (kind == ActivationKind::relu) {
            return fmaxf(x, 0);
        } else if constexpr (kind == ActivationKind::leaky_relu) {
            return x > 0 ? x : alpha * x;
        } else if constexpr (kind == ActivationKind::clip) {
            return fminf(fmaxf(x, alpha), beta);
        } else if constexpr (kind == ActivationKind::elu) {
            return x > 0 ? x : alpha * expm1f(x);
        } else if constexpr (kind == ActivationKind::sigmoid) {
            return sigmoid(x);
        } else if constexpr (kind == ActivationKind::hard_sigmoid) {
            return unit_clamp(alpha * x + beta);
        } else if constexpr (kind == ActivationKind::tanh) {
            return tanhf(x);
        } else if constexpr (kind == ActivationKind::softplus) {
            return softplus(x);
        } else if constexpr (kind == ActivationKind::gelu) {
            return x * normal_integral(x);
        } else if constexpr (kind == ActivationKind::gelu_tanh) {
            return x * (1 + gelu_tanh_of(x)) / 2;
        } else if constexpr (kind == ActivationKind::silu) {
            return x * sigmoid(x);
        } else if constexpr (kind == ActivationKind::hard_swish) {
            return x * unit_clamp(x / 6 + 0.5F);
        } else if constexpr (kind == ActivationKind::mish) {
            return x * tanhf(softplus(x));
        } else if constexpr (kind == ActivationKind::softsign) {
            return x / (1 + fabsf(x));
        } else if constexpr (kind == ActivationKind::selu) {
            return beta * (x > 0 ? x : alpha * expm1f(x));
        } else if constexpr (kind == ActivationKind::celu) {
            return x > 0 ? x : alpha * expm1f(x / alpha);
        } else {
            return x > alpha ? x : 0;
        }
    }

    __device__ float slope_from_input(float x) const {
        if constexpr (kind == ActivationKind::relu) {
            return x > 0 ? 1 : 0;
        } else if constexpr (kind == ActivationKind::leaky_relu) {
            return x > 0 ? 1 : alpha;
        } else if constexpr (kind == ActivationKind::clip) {
            return x > alpha && x < beta ? 1 : 0;
        } else if constexpr (kind == ActivationKind::elu) {
            return x > 0 ? 1 : alpha * expf(x);
        } else if constexpr (kind == ActivationKind::sigmoid) {
            return sigmoid(x) * sigmoid(-x);
        } else if constexpr (kind == ActivationKind::hard_sigmoid) {
            const float y = alpha * x + beta;
            return y > 0 && y < 1 ? alpha : 0;
        } else if constexpr (kind == ActivationKind::tanh) {
            return 1 - tanhf(x) * tanhf(x);
        } else if constexpr (kind == ActivationKind::softplus) {
            return sigmoid(x);
        } else if constexpr (kind == ActivationKind::gelu) {
            return normal_integral(x) + x * normal_density(x);
        } else if constexpr (kind == ActivationKind::gelu_tanh) {
            const float t = gelu_tanh_of(x);
            return (1 + t) / 2 + x * (1 - t * t) / 2 * gelu_scale * (1 + 3 * gelu_cubic * x * x);
        } else if constexpr (kind == ActivationKind::silu) {
            const float s = sigmoid(x);
            return s + x * s * (1 - s);
        } else if constexpr (kind == ActivationKind::hard_swish) {
            return x <= -3 ? 0 : x >= 3 ? 1 : x / 3 + 0.5F;
        } else if constexpr (kind == ActivationKind::mish) {
            const float t = tanhf(softplus(x));
            return t + x * (1 - t * t) * sigmoid(x);
        } else if constexpr (kind == ActivationKind::softsign) {
            return 1 / ((1 + fabsf(x)) * (1 + fabsf(x)));
        } else if constexpr (kind == ActivationKind::selu) {
            return beta * (x > 0 ? 1 : alpha * expf(x));
        } else if constexpr (kind == ActivationKind::celu) {
            return x > 0 ? 1 : expf(x / alpha);
        } else {
            return x > alpha ? 1 : 0;
        }
    }

    __device__ float slope_from_output(float y) const {
        if constexpr (kind == ActivationKind::elu) {
            return y > 0 ? 1 : y + alpha;
        } else if constexpr (kind == ActivationKind::sigmoid) {
            return y * (1 - y);
        } else if constexpr (kind == ActivationKind::tanh) {
            return 1 - y * y;
        } else {  // if the slope is the same at x and at y
            return slope_from_input(y);
        }
    }
};

template <ActivationKind kind>
struct Forward {
    Function<kind> function;
    __device__ void operator()(std::int64_t, const float* x, float* y) const {
        y[0] = function.value(x[0]);
    }
};

template <ActivationKind kind>
struct Backward {
    Function<kind> function;
    bool from_output;
    __device__ void operator()(std::int64_t, const float* in, float* dx) const {
        const float slope =
            from_output ? function.slope_from_output(in[0]) : function.slope_from_input(in[0]);
        dx[0] = in[1] * slope;
    }
};

template <ActivationKind kind>
Function<kind> function_of(const Activation& op) {
    return {static_cast<float>(op.alpha), static_cast<float>(op.beta)};
}

std::string name_of(const Activation& op, std::string_view pass) {
    return "strata:" + std::string(names_of(op.kind)[static_cast<std::size_t>(op.kind)]) + "_" +
           std::string(pass);
}

}  // namespace

Kernel activation_forward(const Activation& op, std::int64_t count,
                          const std::array<ElementType, 2>& types) {
    return with_constant(op.kind, [&](auto constant) {
        constexpr ActivationKind kind = decltype(constant)::value;
        return map<1, 1>(name_of(op, "forward"), count, types,
                         Forward<kind>{function_of<kind>(op)});
    });
}

Kernel activation_backward(const Activation& op, std::int64_t count,
                           const std::array<ElementType, 3>& types) {
    const bool from_output = op.reads().output_for_data;
    return with_constant(op.kind, [&](auto constant) {
        constexpr ActivationKind kind = decltype(constant)::value;
        return map<2, 1>(name_of(op, "backward"), count, types,
                         Backward<kind>{function_of<kind>(op), from_output});
    });
}

}  // namespace strata::cuda
