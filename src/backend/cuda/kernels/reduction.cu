// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/reduction.h"

#include "backend/cuda/kernels/fold.cuh"
#include "backend/cuda/kernels/with_constant.h"

namespace strata::cuda {

namespace {

template <ReductionKind kind>
struct StatisticFold {
    static constexpr bool is_maximum = kind == ReductionKind::maximum;
    static constexpr bool is_minimum = kind == ReductionKind::minimum;
    static constexpr bool is_exponential = kind == ReductionKind::log_sum_exp;
    static constexpr bool is_product = kind == ReductionKind::product;
    static constexpr int width = 1;
    float count;

    __device__ void start(float* carried) const {
        carried[0] = is_maximum ? -HUGE_VALF : is_minimum ? HUGE_VALF : is_product ? 1 : 0;
    }
    // For log_sum_exp the second value is the greatest term, so nothing overflows.
    __device__ void add(float* carried, const float* values, std::int64_t) const {
        const float x = values[0];
        const float term = is_exponential ? expf(x - values[1])
                           : kind == ReductionKind::sum_of_squares || kind == ReductionKind::l2
                               ? x * x
                           : kind == ReductionKind::l1 ? fabsf(x)
                                                       : x;
        carried[0] = combine(0, carried[0], term);
    }
    __device__ float combine(int, float a, float b) const {
        return is_maximum   ? (a < b || b != b ? b : a)
               : is_minimum ? (b < a || b != b ? b : a)
               : is_product ? a * b
                            : a + b;
    }
    __device__ void finish(float* carried) const {
        if constexpr (kind == ReductionKind::mean) {
            carried[0] /= count;
        } else if constexpr (kind == ReductionKind::l2) {
            carried[0] = sqrtf(carried[0]);
        } else if constexpr (kind == ReductionKind::log_sum || is_exponential) {
            carried[0] = logf(carried[0]);
        }
    }
};

// The smallest index among the matches; exact up to 2^24 elements.
struct PlaceFold {
    static constexpr int width = 1;
    __device__ void start(float* carried) const { carried[0] = HUGE_VALF; }
    __device__ void add(float* carried, const float* values, std::int64_t number) const {
        if (values[0] == values[1]) {
            carried[0] = combine(0, carried[0], static_cast<float>(number));
        }
    }
    __device__ float combine(int, float a, float b) const { return b < a ? b : a; }
    __device__ void finish(float*) const {}
};

struct GradientBody {
    Elements x;
    Elements dy;
    Elements y;
    Elements places;
    Elements dx;
    Axes kept;    // strides of x, dy, y, places, dx
    Axes folded;  // strides of x, dx
    ReductionKind kind;

    __device__ void operator()(std::int64_t i) const {
        const std::int64_t result = i / folded.count;
        const std::int64_t number = i - result * folded.count;
        const auto base = offsets_of<5>(kept, result);
        const auto inner = offsets_of<2>(folded, number);
        const float slope = slope_at(base, x.load(base.at[0] + inner.at[0]), number);
        dx.store(base.at[4] + inner.at[1], dy.load(base.at[1]) * slope);
    }

private:
    __device__ float slope_at(const Offsets<5>& base, float term, std::int64_t number) const {
        const float statistic = y.load(base.at[2]);
        switch (kind) {
            case ReductionKind::sum:
                return 1;
            case ReductionKind::mean:
                return 1 / static_cast<float>(folded.count);
            case ReductionKind::maximum:
            case ReductionKind::minimum:
                return static_cast<float>(number) == places.load(base.at[3]) ? 1 : 0;
            case ReductionKind::product:
                return product_of_others(base.at[0], number);
            case ReductionKind::sum_of_squares:
                return 2 * term;
            case ReductionKind::l1:
                return term > 0 ? 1 : term < 0 ? -1 : 0;
            case ReductionKind::l2:
                return statistic == 0 ? 0 : term / statistic;
            case ReductionKind::log_sum:
                return expf(-statistic);
            case ReductionKind::log_sum_exp:
                return expf(term - statistic);
        }
        return 0;
    }
    __device__ float product_of_others(std::int64_t base, std::int64_t number) const {
        float product = 1;
        for (std::int64_t other = 0; other < folded.count; ++other) {
            const float value = x.load(base + offsets_of<1>(folded, other).at[0]);
            product *= other == number ? 1 : value;
        }
        return product;
    }
};

std::string name_of(ReductionKind kind, std::string_view suffix) {
    return "strata:reduce_" + std::string(names_of(kind)[static_cast<std::size_t>(kind)]) +
           std::string(suffix);
}

float folded_count(const FoldShape& shape) {
    return static_cast<float>(fold_axes(shape).folded.count);
}

}  // namespace

FoldKernels reduction_forward(ReductionKind kind, const FoldShape& shape,
                              const std::vector<ElementType>& types) {
    return with_constant(kind, [&](auto constant) {
        constexpr ReductionKind known = decltype(constant)::value;
        const StatisticFold<known> fold = {folded_count(shape)};
        if constexpr (StatisticFold<known>::is_exponential) {
            return fold_kernels<2>(name_of(kind, ""), shape, {types[0], types[1], types[2]}, fold);
        } else {
            return fold_kernels<1>(name_of(kind, ""), shape, {types[0], types[1]}, fold);
        }
    });
}

FoldKernels reduction_place(const FoldShape& shape, const std::array<ElementType, 2>& types) {
    return fold_kernels<2>("strata:reduce_place", shape, {types[0], types[1], ElementType::f32},
                           PlaceFold());
}

Kernel reduction_backward(ReductionKind kind, const FoldShape& shape,
                          const std::array<ElementType, 5>& types) {
    const FoldAxes axes = fold_axes(shape);
    Axes folded = axes.folded;
    for (int axis = 0; axis < folded.rank; ++axis) {
        folded.strides[1][axis] = folded.strides[4][axis];
    }
    return each(name_of(kind, "_backward"), axes.kept.count * folded.count,
                [=, kept = axes.kept](std::span<void* const> at) {
                    return GradientBody{Elements(at[0], types[0]),
                                        Elements(at[1], types[1]),
                                        Elements(at[2], types[2]),
                                        Elements(at[3], types[3]),
                                        Elements(at[4], types[4]),
                                        kept,
                                        folded,
                                        kind};
                });
}

}  // namespace strata::cuda
