// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/reduction.h"

#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/launch.cuh"

namespace strata::cuda {

namespace {

// One row along the axis.
struct Row {
    std::int64_t begin;
    std::int64_t stride;
    std::int64_t extent;

    __device__ std::int64_t at(std::int64_t i) const { return begin + i * stride; }
};

__device__ Row row_of(const SoftmaxShape& shape, std::int64_t row) {
    const std::int64_t outer = row / shape.inner;
    const std::int64_t after = row - outer * shape.inner;
    return {outer * shape.extent * shape.inner + after, shape.inner, shape.extent};
}

// The greatest element and the sum of exp(x - greatest).
struct Normalizer {
    float greatest;
    float sum;
};

template <class Team>
__device__ Normalizer normalizer_of(const Elements& x, const Row& row, const Team& team) {
    float greatest = -HUGE_VALF;
    for (std::int64_t i = team.index(); i < row.extent; i += team.size()) {
        greatest = fmaxf(greatest, x.load(row.at(i)));
    }
    greatest = team.combined(greatest, Greater());
    // Nothing can be subtracted from a row that is masked throughout.
    const float shift = greatest == -HUGE_VALF ? 0 : greatest;
    float sum = 0;
    for (std::int64_t i = team.index(); i < row.extent; i += team.size()) {
        sum += expf(x.load(row.at(i)) - shift);
    }
    return {shift, team.combined(sum, Add())};
}

struct ForwardBody {
    Elements x;
    Elements y;
    SoftmaxShape shape;

    template <class Team>
    __device__ void operator()(std::int64_t number, const Team& team) const {
        const Row row = row_of(shape, number);
        const Normalizer normalizer = normalizer_of(x, row, team);
        const float logarithm = logf(normalizer.sum);
        const float inverse = 1 / normalizer.sum;
        for (std::int64_t i = team.index(); i < row.extent; i += team.size()) {
            const float shifted = x.load(row.at(i)) - normalizer.greatest;
            y.store(row.at(i), shape.logarithm ? shifted - logarithm : expf(shifted) * inverse);
        }
    }
};

struct BackwardBody {
    Elements y;
    Elements dy;
    Elements dx;
    SoftmaxShape shape;

    template <class Team>
    __device__ void operator()(std::int64_t number, const Team& team) const {
        const Row row = row_of(shape, number);
        float sum = 0;
        for (std::int64_t i = team.index(); i < row.extent; i += team.size()) {
            sum += dy.load(row.at(i)) * (shape.logarithm ? 1 : y.load(row.at(i)));
        }
        sum = team.combined(sum, Add());
        for (std::int64_t i = team.index(); i < row.extent; i += team.size()) {
            const float value = y.load(row.at(i));
            const float gradient = dy.load(row.at(i));
            dx.store(row.at(i),
                     shape.logarithm ? gradient - expf(value) * sum : value * (gradient - sum));
        }
    }
};

// A label that is not a class is clamped to the nearest one.
__device__ std::int64_t class_of(const Elements& labels, std::int64_t n, std::int64_t classes) {
    const float label = fminf(fmaxf(labels.load(n), 0), static_cast<float>(classes - 1));
    return static_cast<std::int64_t>(label);
}

struct LossBody {
    Elements x;
    Elements labels;
    Elements losses;
    std::int64_t classes;

    template <class Team>
    __device__ void operator()(std::int64_t n, const Team& team) const {
        const Row row = {n * classes, 1, classes};
        const Normalizer normalizer = normalizer_of(x, row, team);
        if (team.index() == 0) {
            const float own = x.load(row.at(class_of(labels, n, classes)));
            losses.store(n, logf(normalizer.sum) - (own - normalizer.greatest));
        }
    }
};

struct LossGradientBody {
    Elements x;
    Elements labels;
    Elements dx;
    std::int64_t classes;
    float share;

    template <class Team>
    __device__ void operator()(std::int64_t n, const Team& team) const {
        const Row row = {n * classes, 1, classes};
        const Normalizer normalizer = normalizer_of(x, row, team);
        const std::int64_t label = class_of(labels, n, classes);
        for (std::int64_t c = team.index(); c < classes; c += team.size()) {
            const float probability =
                expf(x.load(row.at(c)) - normalizer.greatest) / normalizer.sum;
            dx.store(row.at(c), (probability - (c == label ? 1 : 0)) * share);
        }
    }
};

template <class Make>
Kernel rows_or_columns(std::string name, const SoftmaxShape& shape, Make make) {
    const std::int64_t count = shape.outer * shape.inner;
    return shape.inner == 1 ? rows(std::move(name), count, shape.extent, make)
                            : columns(std::move(name), count, shape.extent, make);
}

}  // namespace

Kernel softmax_forward(const SoftmaxShape& shape, const std::array<ElementType, 2>& types) {
    return rows_or_columns("strata:softmax_forward", shape, [=](std::span<void* const> at) {
        return ForwardBody{Elements(at[0], types[0]), Elements(at[1], types[1]), shape};
    });
}

Kernel softmax_backward(const SoftmaxShape& shape, const std::array<ElementType, 3>& types) {
    return rows_or_columns("strata:softmax_backward", shape, [=](std::span<void* const> at) {
        return BackwardBody{Elements(at[0], types[0]), Elements(at[1], types[1]),
                            Elements(at[2], types[2]), shape};
    });
}

Kernel cross_entropy_forward(std::int64_t batch, std::int64_t classes,
                             const std::array<ElementType, 2>& types) {
    return rows("strata:cross_entropy_forward", batch, classes, [=](std::span<void* const> at) {
        return LossBody{Elements(at[0], types[0]), Elements(at[1], types[1]),
                        Elements(at[2], ElementType::f32), classes};
    });
}

Kernel cross_entropy_backward(std::int64_t batch, std::int64_t classes,
                              const std::array<ElementType, 3>& types) {
    return rows("strata:cross_entropy_backward", batch, classes, [=](std::span<void* const> at) {
        return LossGradientBody{Elements(at[0], types[0]), Elements(at[1], types[1]),
                                Elements(at[2], types[2]), classes, 1 / static_cast<float>(batch)};
    });
}

}  // namespace strata::cuda
