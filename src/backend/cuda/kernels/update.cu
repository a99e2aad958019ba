// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/update.h"

#include "backend/cuda/kernels/launch.cuh"

namespace strata::cuda {

namespace {

struct SgdBody {
    float* weight;
    const float* gradient;
    float rate;

    __device__ void operator()(std::int64_t i) const { weight[i] -= rate * gradient[i]; }
};

struct MomentumBody {
    float* weight;
    const float* gradient;
    float* momentum;
    float rate;
    float keep;

    __device__ void operator()(std::int64_t i) const {
        const float m = keep * momentum[i] + gradient[i];
        momentum[i] = m;
        weight[i] -= rate * m;
    }
};

// The values that Adam's kernel reads: the number of steps taken, and the rate and epsilon that
// follow from it (adam_step of op/optimizer.h; in double, because 1 - beta^t cancels).
struct CountBody {
    float* state;
    Adam adam;

    __device__ void operator()(std::int64_t) const {
        const double steps = state[0] + 1;
        const double root = sqrt(1 - pow(adam.beta2, steps));
        state[0] = static_cast<float>(steps);
        state[1] = static_cast<float>(adam.learning_rate * root / (1 - pow(adam.beta1, steps)));
        state[2] = static_cast<float>(adam.epsilon * root);
    }
};

struct AdamBody {
    float* weight;
    const float* gradient;
    float* mean;
    float* square;
    const float* state;
    float keep1;
    float take1;
    float keep2;
    float take2;

    __device__ void operator()(std::int64_t i) const {
        const float g = gradient[i];
        const float m = keep1 * mean[i] + take1 * g;
        const float v = keep2 * square[i] + take2 * g * g;
        mean[i] = m;
        square[i] = v;
        weight[i] -= state[1] * m / (sqrtf(v) + state[2]);
    }
};

Kernel kernel_of(const Sgd& optimizer, std::int64_t count) {
    return each("strata:sgd", count, [=](std::span<void* const> at) {
        return SgdBody{floats(at[0]), floats(at[1]), static_cast<float>(optimizer.learning_rate)};
    });
}

Kernel kernel_of(const SgdMomentum& optimizer, std::int64_t count) {
    return each("strata:sgd_momentum", count, [=](std::span<void* const> at) {
        return MomentumBody{floats(at[0]), floats(at[1]), floats(at[2]),
                            static_cast<float>(optimizer.learning_rate),
                            static_cast<float>(optimizer.momentum)};
    });
}

Kernel kernel_of(const Adam& optimizer, std::int64_t count) {
    return each("strata:adam", count, [=](std::span<void* const> at) {
        return AdamBody{floats(at[0]),
                        floats(at[1]),
                        floats(at[2]),
                        floats(at[3]),
                        floats(at[4]),
                        static_cast<float>(optimizer.beta1),
                        static_cast<float>(1 - optimizer.beta1),
                        static_cast<float>(optimizer.beta2),
                        static_cast<float>(1 - optimizer.beta2)};
    });
}

}  // namespace

Kernel update_kernel(const Optimizer& optimizer, std::int64_t count) {
    return std::visit([&](const auto& one) { return kernel_of(one, count); }, optimizer);
}

Kernel adam_count(const Adam& optimizer) {
    return each("strata:adam_count", 1, [=](std::span<void* const> at) {
        return CountBody{floats(at[0]), optimizer};
    });
}

}  // namespace strata::cuda
