// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/normalization.h"

#include "backend/cuda/kernels/channels.cuh"

namespace strata::cuda {

namespace {

struct MomentsFold : SumsFold<2> {
    float count;

    __device__ void add(float* carried, const float* values, std::int64_t) const {
        const float shifted = values[0] - values[1];
        carried[0] += shifted;
        carried[1] += shifted * shifted;
    }
    __device__ void finish(float* carried) const {
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

    __device__ void operator()(std::int64_t c) const {
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

    __device__ void operator()(std::int64_t c) const {
        inverse[c] = 1 / sqrtf(variance[c] + epsilon);
    }
};

struct NormalizeBody {
    Elements x;
    const float* mean;
    const float* inverse;
    const float* scale;
    const float* shift;
    Elements y;
    Channels channels;
    std::int64_t count;

    __device__ void operator()(std::int64_t pack) const {
        each_pack(
            pack, count, [&](std::int64_t begin) { whole(begin); },
            [&](std::int64_t i) {
                const std::int64_t c = channels.of(i);
                y.store(i, value(x.load(i), mean[c], inverse[c], scale[c], shift[c]));
            });
    }

private:
    __device__ static float value(float x, float mean, float inverse, float scale, float shift) {
        return scale * ((x - mean) * inverse) + shift;
    }
    __device__ void whole(std::int64_t begin) const {
        const RawPack raw = x.load_raw_pack(begin);
        const std::int64_t c = channels.of(begin);
        const Pack means = channels.load(mean, begin, c);
        const Pack inverses = channels.load(inverse, begin, c);
        const Pack scales = channels.load(scale, begin, c);
        const Pack shifts = channels.load(shift, begin, c);
        Pack values = x.values_of(raw);
        for (int j = 0; j < Pack::size; ++j) {
            values.at[j] =
                value(values.at[j], means.at[j], inverses.at[j], scales.at[j], shifts.at[j]);
        }
        y.store_pack(begin, values);
    }
};

struct GradientFold : SumsFold<2> {
    __device__ void add(float* carried, const float* v, std::int64_t) const {
        carried[0] += v[0];
        carried[1] += v[0] * ((v[1] - v[2]) * v[3]);
    }
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
    Channels channels;
    std::int64_t count;
    float share;

    __device__ void operator()(std::int64_t pack) const {
        each_pack(
            pack, count, [&](std::int64_t begin) { whole(begin); },
            [&](std::int64_t i) {
                const std::int64_t c = channels.of(i);
                const float normalized = (x.load(i) - mean[c]) * inverse[c];
                dx.store(i, value(normalized, dy.load(i), scale[c] * inverse[c], sum[c],
                                  product_sum[c]));
            });
    }

private:
    __device__ float value(float normalized, float gradient, float factor, float sum_of,
                           float product_of) const {
        return factor * (gradient - sum_of * share - normalized * product_of * share);
    }
    __device__ void whole(std::int64_t begin) const {
        const RawPack raw_x = x.load_raw_pack(begin);
        const RawPack raw_dy = dy.load_raw_pack(begin);
        const std::int64_t c = channels.of(begin);
        const Pack means = channels.load(mean, begin, c);
        const Pack inverses = channels.load(inverse, begin, c);
        const Pack scales = channels.load(scale, begin, c);
        const Pack sums = channels.load(sum, begin, c);
        const Pack products = channels.load(product_sum, begin, c);
        const Pack xs = x.values_of(raw_x);
        Pack values = dy.values_of(raw_dy);
        for (int j = 0; j < Pack::size; ++j) {
            const float normalized = (xs.at[j] - means.at[j]) * inverses.at[j];
            values.at[j] = value(normalized, values.at[j], scales.at[j] * inverses.at[j],
                                 sums.at[j], products.at[j]);
        }
        dx.store_pack(begin, values);
    }
};

}  // namespace

FoldKernels moments_fold(const FoldShape& shape, const std::array<ElementType, 2>& types) {
    const auto count = static_cast<float>(fold_axes(shape).folded.count);
    return fold_kernels<2>("strata:moments", shape,
                           {types[0], types[1], ElementType::f32, ElementType::f32},
                           MomentsFold{{}, count});
}

FoldKernels channel_moments(std::int64_t rows, std::int64_t channels,
                            const std::array<ElementType, 2>& types) {
    return channel_fold<1, 1>("strata:channel_moments", rows, channels,
                              {types[0], types[1], ElementType::f32, ElementType::f32},
                              MomentsFold{{}, static_cast<float>(rows)});
}

FoldKernels channel_gradients(std::int64_t rows, std::int64_t channels,
                              const std::array<ElementType, 2>& types) {
    constexpr ElementType f32 = ElementType::f32;
    return channel_fold<2, 2>("strata:channel_gradients", rows, channels,
                              {types[0], types[1], f32, f32, f32, f32}, GradientFold());
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
        return NormalizeBody{
            Elements(at[0], types[0]), floats(at[1]),   floats(at[2]), floats(at[3]), floats(at[4]),
            Elements(at[5], types[1]), Channels(place), count};
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
                                        Channels(place),
                                        count,
                                        1 / static_cast<float>(each_statistic)};
                });
}

}  // namespace strata::cuda
