// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/normalization.h"

#include "backend/cuda/kernels/fold.cuh"

namespace strata::cuda {

namespace {

// The parameter of the i-th element of a row.
struct ParameterPlace {
    std::int64_t groups;
    std::int64_t per_group;
    Divisor inner;

    __device__ std::int64_t operator()(std::int64_t row, std::int64_t i) const {
        return row % groups * per_group + inner.quotient(i);
    }
};

ParameterPlace view_of(const NormalizedRows& shape) {
    return {shape.groups, shape.width / shape.inner, Divisor(shape.inner)};
}

struct RowForward {
    Elements x;
    const float* scale;
    const float* shift;
    Elements y;
    float* means;
    float* inverses;
    NormalizedRows shape;
    ParameterPlace parameter;

    template <class Team>
    __device__ void operator()(std::int64_t row, const Team& team) const {
        const std::int64_t begin = row * shape.width;
        const float mean = shape.centred ? mean_of(begin, 0, false, team) : 0;
        const float variance = mean_of(begin, mean, true, team);
        const float inverse = 1 / sqrtf(variance + shape.epsilon);
        for (std::int64_t i = team.index(); i < shape.width; i += team.size()) {
            const std::int64_t p = parameter(row, i);
            const float normalized = (x.load(begin + i) - mean) * inverse;
            y.store(begin + i,
                    normalized * (shape.scales ? scale[p] : 1) + (shape.shifts ? shift[p] : 0));
        }
        if (team.index() == 0) {
            means[row] = mean;
            inverses[row] = inverse;
        }
    }

private:
    // The mean of x - offset, or of its square.
    template <class Team>
    __device__ float mean_of(std::int64_t begin, float offset, bool squared,
                             const Team& team) const {
        float sum = 0;
        for (std::int64_t i = team.index(); i < shape.width; i += team.size()) {
            const float value = x.load(begin + i) - offset;
            sum += squared ? value * value : value;
        }
        return team.combined(sum, Add()) / static_cast<float>(shape.width);
    }
};

struct RowBackward {
    Elements x;
    Elements dy;
    const float* scale;
    const float* means;
    const float* inverses;
    Elements dx;
    NormalizedRows shape;
    ParameterPlace parameter;

    template <class Team>
    __device__ void operator()(std::int64_t row, const Team& team) const {
        const std::int64_t begin = row * shape.width;
        const float mean = means[row];
        const float inverse = inverses[row];
        float sum = 0;
        float product_sum = 0;
        for (std::int64_t i = team.index(); i < shape.width; i += team.size()) {
            const float g = scaled(row, begin, i);
            sum += g;
            product_sum += g * ((x.load(begin + i) - mean) * inverse);
        }
        const float share = 1 / static_cast<float>(shape.width);
        const float mean_g = shape.centred ? team.combined(sum, Add()) * share : 0;
        const float mean_product = team.combined(product_sum, Add()) * share;
        for (std::int64_t i = team.index(); i < shape.width; i += team.size()) {
            const float normalized = (x.load(begin + i) - mean) * inverse;
            dx.store(begin + i,
                     inverse * (scaled(row, begin, i) - mean_g - normalized * mean_product));
        }
    }

private:
    __device__ float scaled(std::int64_t row, std::int64_t begin, std::int64_t i) const {
        return dy.load(begin + i) * (shape.scales ? scale[parameter(row, i)] : 1);
    }
};

struct ParameterFold : SumFold {
    bool of_scale;
    __device__ void add(float* carried, const float* v, std::int64_t) const {
        carried[0] += of_scale ? v[0] * ((v[1] - v[2]) * v[3]) : v[0];
    }
};

}  // namespace

NormalizedRows rows_for_kernels(const RowNormalization& n) {
    return {n.rows,    n.width,      n.groups,    n.inner, static_cast<float>(n.epsilon),
            n.centred, n.scale != 0, n.shift != 0};
}

Kernel row_normalization_forward(const NormalizedRows& shape,
                                 const std::array<ElementType, 2>& types) {
    return rows("strata:row_normalization", shape.rows, shape.width,
                [=](std::span<void* const> at) {
                    return RowForward{Elements(at[0], types[0]),
                                      floats(at[1]),
                                      floats(at[2]),
                                      Elements(at[3], types[1]),
                                      floats(at[4]),
                                      floats(at[5]),
                                      shape,
                                      view_of(shape)};
                });
}

Kernel row_normalization_backward(const NormalizedRows& shape,
                                  const std::array<ElementType, 3>& types) {
    return rows("strata:row_normalization_backward", shape.rows, shape.width,
                [=](std::span<void* const> at) {
                    return RowBackward{Elements(at[0], types[0]),
                                       Elements(at[1], types[1]),
                                       floats(at[2]),
                                       floats(at[3]),
                                       floats(at[4]),
                                       Elements(at[5], types[2]),
                                       shape,
                                       view_of(shape)};
                });
}

// Rows as images times groups; elements as parameters times the elements that share one.
FoldKernels row_parameter_fold(bool of_scale, const NormalizedRows& shape,
                               const std::array<ElementType, 2>& types) {
    const std::int64_t per_group = shape.width / shape.inner;
    const Dims elements = {shape.groups * shape.width, shape.width, shape.inner, 1};
    const Dims statistics = {shape.groups, 1, 0, 0};
    const FoldShape fold = {
        .extents = {shape.rows / shape.groups, shape.groups, per_group, shape.inner},
        .folded = {true, false, false, true},
        .inputs = {elements, elements, statistics, statistics},
        .output = {0, per_group, 1, 0}};
    constexpr ElementType f32 = ElementType::f32;
    return fold_kernels<4>("strata:row_parameters", fold, {types[0], types[1], f32, f32, f32},
                           ParameterFold{{}, of_scale});
}

}  // namespace strata::cuda
