// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/elementwise.h"
#include "backend/cuda/kernels/map.cuh"

namespace strata::cuda {

namespace {

__device__ float sign_of(float x) {
    return x > 0 ? 1 : x < 0 ? -1 : x;
}

__device__ float value_of(UnaryKind kind, float x) {
    switch (kind) {
        case UnaryKind::exponential:
            return expf(x);
        case UnaryKind::logarithm:
            return logf(x);
        case UnaryKind::square_root:
            return sqrtf(x);
        case UnaryKind::reciprocal:
            return 1 / x;
        case UnaryKind::negate:
            return -x;
        case UnaryKind::absolute:
            return fabsf(x);
        case UnaryKind::sign:
            return sign_of(x);
        case UnaryKind::error_function:
            return erff(x);
        case UnaryKind::floor:
            return floorf(x);
        case UnaryKind::ceil:
            return ceilf(x);
        case UnaryKind::round:
            return rintf(x);
        case UnaryKind::sine:
            return sinf(x);
        case UnaryKind::cosine:
            return cosf(x);
        case UnaryKind::tangent:
            return tanf(x);
        case UnaryKind::arc_sine:
            return asinf(x);
        case UnaryKind::arc_cosine:
            return acosf(x);
        case UnaryKind::arc_tangent:
            return atanf(x);
        case UnaryKind::hyperbolic_sine:
            return sinhf(x);
        case UnaryKind::hyperbolic_cosine:
            return coshf(x);
        case UnaryKind::inverse_hyperbolic_sine:
            return asinhf(x);
        case UnaryKind::inverse_hyperbolic_cosine:
            return acoshf(x);
        case UnaryKind::inverse_hyperbolic_tangent:
            return atanhf(x);
        case UnaryKind::logical_not:
            return x == 0 ? 1 : 0;
        case UnaryKind::is_nan:
            return x != x ? 1 : 0;
        case UnaryKind::is_infinite:
            return fabsf(x) == HUGE_VALF ? 1 : 0;
    }
    return 0;
}

// `data` is y for functions whose slope needs only the output (Unary::reads): exponential, square
// root, reciprocal, tangent; else x.
__device__ float slope_of(UnaryKind kind, float data) {
    constexpr float error_scale = 1.1283792F;  // 2 / sqrt(pi)
    switch (kind) {
        case UnaryKind::exponential:
            return data;
        case UnaryKind::logarithm:
            return 1 / data;
        case UnaryKind::square_root:
            return 0.5F / data;
        case UnaryKind::reciprocal:
            return -data * data;
        case UnaryKind::negate:
            return -1;
        case UnaryKind::absolute:
            return sign_of(data);
        case UnaryKind::error_function:
            return error_scale * expf(-data * data);
        case UnaryKind::sine:
            return cosf(data);
        case UnaryKind::cosine:
            return -sinf(data);
        case UnaryKind::tangent:
            return 1 + data * data;
        case UnaryKind::arc_sine:
            return 1 / sqrtf((1 - data) * (1 + data));
        case UnaryKind::arc_cosine:
            return -1 / sqrtf((1 - data) * (1 + data));
        case UnaryKind::arc_tangent:
            return 1 / (1 + data * data);
        case UnaryKind::hyperbolic_sine:
            return coshf(data);
        case UnaryKind::hyperbolic_cosine:
            return sinhf(data);
        case UnaryKind::inverse_hyperbolic_sine:
            return 1 / sqrtf(data * data + 1);
        case UnaryKind::inverse_hyperbolic_cosine:
            return 1 / sqrtf((data - 1) * (data + 1));
        case UnaryKind::inverse_hyperbolic_tangent:
            return 1 / ((1 - data) * (1 + data));
        default:  // step functions
            return 0;
    }
}

struct UnaryValue {
    UnaryKind kind;
    __device__ void operator()(std::int64_t, const float* x, float* y) const {
        y[0] = value_of(kind, x[0]);
    }
};

struct UnaryGradient {
    UnaryKind kind;
    __device__ void operator()(std::int64_t, const float* in, float* dx) const {
        dx[0] = in[1] * slope_of(kind, in[0]);
    }
};

std::string name_of(const Unary& op, std::string_view pass) {
    return "strata:" + std::string(names_of(op.kind)[static_cast<std::size_t>(op.kind)]) + "_" +
           std::string(pass);
}

}  // namespace

Kernel unary_forward(const Unary& op, std::int64_t count, const std::array<ElementType, 2>& types) {
    return map<1, 1>(name_of(op, "forward"), count, types, UnaryValue{op.kind});
}

Kernel unary_backward(const Unary& op, std::int64_t count,
                      const std::array<ElementType, 3>& types) {
    return map<2, 1>(name_of(op, "backward"), count, types, UnaryGradient{op.kind});
}

}  // namespace strata::cuda
