// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/normalization.h"

#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/launch.cuh"

namespace strata::cuda {

namespace {

struct WeightsBody {
    const float* w;
    const float* scale;
    const float* variance;
    Elements scaled;
    std::int64_t inputs;
    std::int64_t positions;
    float epsilon;
    bool channels_last;

    __device__ void operator()(std::int64_t i) const {
        const std::int64_t position = i % positions;
        const std::int64_t input = i / positions % inputs;
        const std::int64_t channel = i / positions / inputs;
        const std::int64_t within =
            channels_last ? position * inputs + input : input * positions + position;
        scaled.store(channel * inputs * positions + within,
                     w[i] * scale[channel] / sqrtf(variance[channel] + epsilon));
    }
};

struct BiasBody {
    const float* bias;
    const float* scale;
    const float* shift;
    const float* mean;
    const float* variance;
    Elements shifted;
    float epsilon;

    __device__ void operator()(std::int64_t c) const {
        const float inverse = 1 / sqrtf(variance[c] + epsilon);
        shifted.store(c, scale[c] * (bias[c] - mean[c]) * inverse + shift[c]);
    }
};

}  // namespace

Kernel fold_into_weights(const FoldedNormalization& folded, const Format& scaled) {
    const auto epsilon = static_cast<float>(folded.epsilon);
    const bool channels_last = scaled.order == Order::channels_last;
    const std::int64_t count = folded.channels * folded.inputs * folded.positions;
    return each("strata:fold_into_weights", count, [=](std::span<void* const> at) {
        return WeightsBody{
            floats(at[0]), floats(at[1]),    floats(at[2]), Elements(at[3], scaled.type),
            folded.inputs, folded.positions, epsilon,       channels_last};
    });
}

Kernel fold_into_bias(const FoldedNormalization& folded, ElementType shifted) {
    const auto epsilon = static_cast<float>(folded.epsilon);
    return each("strata:fold_into_bias", folded.channels, [=](std::span<void* const> at) {
        return BiasBody{floats(at[0]), floats(at[1]), floats(at[2]),
                        floats(at[3]), floats(at[4]), Elements(at[5], shifted),
                        epsilon};
    });
}

}  // namespace strata::cuda
