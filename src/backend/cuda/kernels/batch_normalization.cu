// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/batch_normalization.h"

#include "backend/cuda/kernels/divisor.h"
#include "backend/cuda/kernels/fold.cuh"

namespace strata::cuda {

namespace {

struct MomentsFold {
    static constexpr int width = 2;
    float count;

    __host__ __device__ void start(float* carried) const { carried[0] = carried[1] = 0; }
    __host__ __device__ void add(float* carried, const float* values, std::int64_t) const {
        const float shifted = values[0] - values[1];
        carried[0] += shifted;
        carried[1] += shifted * shifted;
    }
    __host__ __device__ float combine(int, float a, float b) const { return a + b; }
    __host__ __device__ void finish(float* carried) const {
        carried[0] /= count;
        carried[1] = fmaxf(carried[1] / count - carried[0] * carried[0], 0);
    }
};

struct StatisticsBody {
    Elements x;
    std::int64_t x_stride;
    float* mean;
    const float* variance;
    float* inverse;
    float* running_mean;
    float* running_variance;
    float epsilon;
    float keep;
    float take;

    __host__ __device__ void operator()(std::int64_t c) const {
        mean[c] += x.load(c * x_stride);
        inverse[c] = 1 / sqrtf(variance[c] + epsilon);
        running_mean[c] = keep * running_mean[c] + take * mean[c];
        running_variance[c] = keep * running_variance[c] + take * variance[c];
    }
};

struct InverseBody {
    const float* variance;
    float* inverse;
    float epsilon;

    __host__ __device__ void operator()(std::int64_t c) const {
        inverse[c] = 1 / sqrtf(variance[c] + epsilon);
    }
};

// index / inner % statistics
struct Channel {
    Divisor inner;
    Divisor statistics;

    __host__ __device__ std::int64_t operator()(std::int64_t i) const {
        const std::int64_t row = inner.quotient(i);
        return row - statistics.quotient(row) * statistics.value();
    }
};

Channel channel_of(const ChannelPlace& place) {
    return {Divisor(place.inner), Divisor(place.statistics)};
}

struct NormalizeBody {
    Elements x;
    const float* mean;
    const float* inverse;
    const float* scale;
    const float* shift;
    Elements y;
    Channel channel;
    std::int64_t count;

    __host__ __device__ void operator()(std::int64_t pack) const {
        const std::int64_t begin = pack * Pack::size;
        if (begin + Pack::size > count) {
            for (std::int64_t i = begin; i < count; ++i) {
                y.store(i, value(i, x.load(i)));
            }
            return;
        }
        Pack values = x.load_pack(begin);
        for (int j = 0; j < Pack::size; ++j) {
            values.at[j] = value(begin + j, values.at[j]);
        }
        y.store_pack(begin, values);
    }

private:
    __host__ __device__ float value(std::int64_t i, float x_value) const {
        const std::int64_t c = channel(i);
        return scale[c] * ((x_value - mean[c]) * inverse[c]) + shift[c];
    }
};

struct GradientFold {
    static constexpr int width = 2;
    __host__ __device__ void start(float* carried) const { carried[0] = carried[1] = 0; }
    __host__ __device__ void add(float* carried, const float* v, std::int64_t) const {
        carried[0] += v[0];
        carried[1] += v[0] * ((v[1] - v[2]) * v[3]);
    }
    __host__ __device__ float combine(int, float a, float b) const { return a + b; }
    __host__ __device__ void finish(float*) const {}
};

struct GradientBody {
    Elements x;
    Elements dy;
    const float* mean;
    const float* inverse;
    const float* scale;
    const float* sum;
    const float* product_sum;
    Elements dx;
    Channel channel;
    std::int64_t count;
    float share;

    __host__ __device__ void operator()(std::int64_t pack) const {
        const std::int64_t begin = pack * Pack::size;
        if (begin + Pack::size > count) {
            for (std::int64_t i = begin; i < count; ++i) {
                dx.store(i, value(i, x.load(i), dy.load(i)));
            }
            return;
        }
        const Pack xs = x.load_pack(begin);
        Pack values = dy.load_pack(begin);
        for (int j = 0; j < Pack::size; ++j) {
            values.at[j] = value(begin + j, xs.at[j], values.at[j]);
        }
        dx.store_pack(begin, values);
    }

private:
    __host__ __device__ float value(std::int64_t i, float x_value, float gradient) const {
        const std::int64_t c = channel(i);
        const float normalized = (x_value - mean[c]) * inverse[c];
        return scale[c] * inverse[c] *
               (gradient - sum[c] * share - normalized * product_sum[c] * share);
    }
};

float* floats(void* address) {
    return static_cast<float*>(address);
}

}  // namespace

FoldKernels moments_fold(const FoldShape& shape, const std::array<ElementType, 2>& types) {
    const auto count = static_cast<float>(fold_axes(shape).folded.count);
    return fold_kernels<2>("strata:moments", shape,
                           {types[0], types[1], ElementType::f32, ElementType::f32},
                           MomentsFold{count});
}

Kernel statistics_kernel(std::int64_t count, std::int64_t x_stride, ElementType x, double epsilon,
                         double momentum) {
    return each("strata:statistics", count, [=](std::span<void* const> at) {
        return StatisticsBody{Elements(at[0], x),
                              x_stride,
                              floats(at[1]),
                              floats(at[2]),
                              floats(at[3]),
                              floats(at[4]),
                              floats(at[5]),
                              static_cast<float>(epsilon),
                              static_cast<float>(momentum),
                              static_cast<float>(1 - momentum)};
    });
}

Kernel inverse_kernel(std::int64_t count, double epsilon) {
    return each("strata:inverse_deviation", count, [=](std::span<void* const> at) {
        return InverseBody{floats(at[0]), floats(at[1]), static_cast<float>(epsilon)};
    });
}

Kernel normalize_kernel(std::int64_t count, const ChannelPlace& place,
                        const std::array<ElementType, 2>& types) {
    return each("strata:normalize", ceiling(count, Pack::size), [=](std::span<void* const> at) {
        return NormalizeBody{Elements(at[0], types[0]),
                             floats(at[1]),
                             floats(at[2]),
                             floats(at[3]),
                             floats(at[4]),
                             Elements(at[5], types[1]),
                             channel_of(place),
                             count};
    });
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
    return each("strata:normalize_backward", ceiling(count, Pack::size),
                [=](std::span<void* const> at) {
                    return GradientBody{Elements(at[0], types[0]),
                                        Elements(at[1], types[1]),
                                        floats(at[2]),
                                        floats(at[3]),
                                        floats(at[4]),
                                        floats(at[5]),
                                        floats(at[6]),
                                        Elements(at[7], types[2]),
                                        channel_of(place),
                                        count,
                                        1 / static_cast<float>(each_statistic)};
                });
}

}  // namespace strata::cuda
