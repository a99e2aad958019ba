// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/normalization.h"

#include "backend/cuda/kernels/channel_fold.cuh"
#include "backend/cuda/kernels/channel_map.cuh"

namespace strata::cuda {

namespace {

// Sums of x - s and its square.
struct MomentsFold : SumsFold<2> {
    __device__ void add(float* carried, const float* values, std::int64_t) const {
        const float shifted = values[0] - values[1];
        carried[0] += shifted;
        carried[1] += shifted * shifted;
    }
};

struct StatisticsBody {
    const float* parts;
    Elements x;
    float* mean;
    float* inverse;
    float* running_mean;
    float* running_variance;
    BatchStatistics statistics;

    template <class Team>
    __device__ void operator()(std::int64_t c, const Team& team) const {
        float sums[2];
        join(MomentsFold(), parts, statistics.slices, c, team, sums);
        if (team.index() != 0) {
            return;
        }
        const float shifted = sums[0] / statistics.each;
        const float variance = fmaxf(sums[1] / statistics.each - shifted * shifted, 0);
        const float own = shifted + x.load(c * statistics.x_stride);
        mean[c] = own;
        inverse[c] = 1 / sqrtf(variance + statistics.epsilon);
        running_mean[c] = statistics.keep * running_mean[c] + statistics.take * own;
        running_variance[c] = statistics.keep * running_variance[c] + statistics.take * variance;
    }
};

struct InverseBody {
    const float* variance;
    float* inverse;
    float epsilon;

    __device__ void operator()(std::int64_t c) const {
        inverse[c] = 1 / sqrtf(variance[c] + epsilon);
    }
};

// Parameters: mean, inverse, scale, shift.
struct Normalize {
    static constexpr int parameters = 4;
    static constexpr int coefficients = 3;
    __device__ void prepare(const float* p, float* c) const {
        c[0] = p[0];
        c[1] = p[2] * p[1];
        c[2] = p[3];
    }
    __device__ float operator()(const float* x, const float* c) const {
        return (x[0] - c[0]) * c[1] + c[2];
    }
};

struct GradientFold : SumsFold<2> {
    __device__ void add(float* carried, const float* v, std::int64_t) const {
        carried[0] += v[0];
        carried[1] += v[0] * ((v[1] - v[2]) * v[3]);
    }
};

// Inputs: x, dy. Parameters: mean, inverse, scale, sum of dy, sum of dy x^.
struct NormalizeGradient {
    static constexpr int parameters = 5;
    static constexpr int coefficients = 4;
    float share;

    __device__ void prepare(const float* p, float* c) const {
        c[0] = p[0];
        c[1] = p[2] * p[1];
        c[2] = p[3] * share;
        c[3] = p[1] * p[4] * share;
    }
    __device__ float operator()(const float* in, const float* c) const {
        return c[1] * (in[1] - c[2] - (in[0] - c[0]) * c[3]);
    }
};

}  // namespace

FoldParts moments_fold(const FoldShape& shape, ElementType x) {
    return fold_parts<2>("strata:moments", shape, {x, x}, MomentsFold());
}

FoldParts channel_moments(std::int64_t rows, std::int64_t channels, ElementType x) {
    return channel_parts<1, 1>("strata:channel_moments", rows, channels, {x, x}, MomentsFold());
}

FoldKernels channel_gradients(std::int64_t rows, std::int64_t channels,
                              const std::array<ElementType, 2>& types) {
    constexpr ElementType f32 = ElementType::f32;
    return channel_fold<2, 2>("strata:channel_gradients", rows, channels,
                              {types[0], types[1], f32, f32, f32, f32}, GradientFold());
}

Kernel statistics_kernel(std::int64_t count, const BatchStatistics& statistics, ElementType x) {
    return rows<threads_of_each>(
        "strata:statistics", count, statistics.slices, [=](std::span<void* const> at) {
            return StatisticsBody{floats(at[0]), Elements(at[1], x), floats(at[2]), floats(at[3]),
                                  floats(at[4]), floats(at[5]),      statistics};
        });
}

Kernel inverse_kernel(std::int64_t count, double epsilon) {
    return each("strata:inverse_deviation", count, [=](std::span<void* const> at) {
        return InverseBody{floats(at[0]), floats(at[1]), static_cast<float>(epsilon)};
    });
}

Kernel normalize_kernel(std::int64_t count, const ChannelPlace& place,
                        const std::array<ElementType, 2>& types) {
    return channel_map<1>("strata:normalize", count, place, types, Normalize());
}

FoldKernels normalization_gradient_fold(const FoldShape& shape,
                                        const std::array<ElementType, 2>& types) {
    constexpr ElementType f32 = ElementType::f32;
    return fold_kernels<4>("strata:normalization_sums", shape,
                           {types[0], types[1], f32, f32, f32, f32}, GradientFold());
}

Kernel normalization_gradient_kernel(std::int64_t count, const ChannelPlace& place,
                                     std::int64_t each_statistic,
                                     const std::array<ElementType, 3>& types) {
    return channel_map<2>("strata:normalize_backward", count, place, types,
                          NormalizeGradient{1 / static_cast<float>(each_statistic)});
}

}  // namespace strata::cuda
