// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/normalization.h"

#include "backend/cuda/kernels/channel_fold.cuh"
#include "backend/cuda/kernels/packed_rows.cuh"

namespace strata::cuda {

namespace {

// The parameters of a row's elements.
struct RowParameters {
    Divisor groups;
    std::int64_t per_group;
    Divisor inner;

    // The number of the row's first parameter.
    __device__ std::int64_t first(std::int64_t row) const {
        return (row - groups.quotient(row) * groups.value()) * per_group;
    }
    // Of `size` elements from the i-th on; `values` begins at the row's first parameter.
    template <int size>
    __device__ Pack of(const float* values, std::int64_t i) const {
        if (size == Pack::size && inner.value() == 1) {
            return Elements(const_cast<float*>(values + i), ElementType::f32).load_pack(0);
        }
        Pack pack;
        for (int j = 0; j < size; ++j) {
            pack.at[j] = values[inner.quotient(i + j)];
        }
        return pack;
    }
};

RowParameters parameters_of(const NormalizedRows& shape) {
    return {Divisor(shape.groups), shape.width / shape.inner, Divisor(shape.inner)};
}

struct RowForward {
    Elements x;
    const float* scale;
    const float* shift;
    Elements y;
    float* means;
    float* inverses;
    NormalizedRows shape;
    RowParameters parameters;

    template <class Team>
    __device__ void operator()(std::int64_t number, const Team& team) const {
        PackedRow<1, Team> row({x}, number * shape.width, shape.width, team);
        const float mean = shape.centred ? mean_of(row, team, [](float v) { return v; }) : 0;
        const float variance =
            mean_of(row, team, [mean](float v) { return (v - mean) * (v - mean); });
        const float inverse = 1 / sqrtf(variance + shape.epsilon);
        const std::int64_t first = parameters.first(number);
        row.store(y, [&](auto size, std::int64_t i, const Pack* values) {
            Pack result = values[0];
            for (int j = 0; j < size; ++j) {
                result.at[j] = (result.at[j] - mean) * inverse;
            }
            if (shape.scales) {
                const Pack by = parameters.of<size>(scale + first, i);
                for (int j = 0; j < size; ++j) {
                    result.at[j] *= by.at[j];
                }
            }
            if (shape.shifts) {
                const Pack by = parameters.of<size>(shift + first, i);
                for (int j = 0; j < size; ++j) {
                    result.at[j] += by.at[j];
                }
            }
            return result;
        });
        if (team.index() == 0) {
            means[number] = mean;
            inverses[number] = inverse;
        }
    }

private:
    template <class Row, class Team, class Term>
    __device__ float mean_of(Row& row, const Team& team, const Term& term) const {
        float sum = 0;
        row.each([&](auto size, std::int64_t, const Pack* values) {
            for (int j = 0; j < size; ++j) {
                sum += term(values[0].at[j]);
            }
        });
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
    RowParameters parameters;

    template <class Team>
    __device__ void operator()(std::int64_t number, const Team& team) const {
        PackedRow<2, Team> row({x, dy}, number * shape.width, shape.width, team);
        const std::int64_t first = parameters.first(number);
        const float mean = means[number];
        const float inverse = inverses[number];
        float sum = 0;
        float product_sum = 0;
        row.each([&](auto size, std::int64_t i, const Pack* values) {
            const Pack g = scaled(size, first, i, values[1]);
            for (int j = 0; j < size; ++j) {
                sum += g.at[j];
                product_sum += g.at[j] * ((values[0].at[j] - mean) * inverse);
            }
        });
        const float share = 1 / static_cast<float>(shape.width);
        const float mean_g = shape.centred ? team.combined(sum, Add()) * share : 0;
        const float mean_product = team.combined(product_sum, Add()) * share;
        row.store(dx, [&](auto size, std::int64_t i, const Pack* values) {
            Pack result = scaled(size, first, i, values[1]);
            for (int j = 0; j < size; ++j) {
                const float normalized = (values[0].at[j] - mean) * inverse;
                result.at[j] = inverse * (result.at[j] - mean_g - normalized * mean_product);
            }
            return result;
        });
    }

private:
    template <int size>
    __device__ Pack scaled(Size<size>, std::int64_t first, std::int64_t i, const Pack& dy_) const {
        Pack g = dy_;
        if (shape.scales) {
            const Pack by = parameters.of<size>(scale + first, i);
            for (int j = 0; j < size; ++j) {
                g.at[j] *= by.at[j];
            }
        }
        return g;
    }
};

// The sums of dy x^ and of dy. Inputs: dy, x, mean, inverse.
struct ParameterFold : SumsFold<2> {
    __device__ void add(float* carried, const float* v, std::int64_t) const {
        carried[0] += v[0] * ((v[1] - v[2]) * v[3]);
        carried[1] += v[0];
    }
};

// The same with statistics by row. Inputs: dy, x.
struct ColumnFold : SumsFold<2> {
    const float* means;
    const float* inverses;
    __device__ void add(float* carried, const float* v, std::int64_t row) const {
        carried[0] += v[0] * ((v[1] - means[row]) * inverses[row]);
        carried[1] += v[0];
    }
};

// Every element of a row has a parameter of its own: column sums, by packs.
FoldKernels column_fold(const NormalizedRows& shape, const std::array<ElementType, 2>& types) {
    constexpr std::array outputs = {ElementType::f32, ElementType::f32};
    const std::string name = "strata:row_parameters";
    const ChannelTiles divided = fold_tiles(shape.rows, shape.width);
    const bool is_partial = divided.slices > 1;
    const auto make = [=](std::span<void* const> at) {
        return ChannelFoldBody<2, 0, ColumnFold>{
            {Elements(at[0], types[0]), Elements(at[1], types[1])},
            {},
            fold_outputs<ColumnFold>(at.data() + 4, outputs.data(), divided.slices, is_partial),
            divided,
            {{}, floats(at[2]), floats(at[3])}};
    };
    FoldKernels result = {{tiles(name, divided.count(), make)}, 0};
    if (is_partial) {
        result.partials = shape.width * divided.slices * ColumnFold::width;
        result.kernels.push_back(join_kernel(name + "_join", joined_axes({shape.width}, {{1}}),
                                             divided.slices, outputs, SumsFold<2>()));
    }
    return result;
}

// Rows as images times groups; elements as parameters times the elements that share one.
FoldKernels grouped_fold(const NormalizedRows& shape, const std::array<ElementType, 2>& types) {
    const std::int64_t per_group = shape.width / shape.inner;
    const Dims elements = {shape.groups * shape.width, shape.width, shape.inner, 1};
    const Dims statistics = {shape.groups, 1, 0, 0};
    const FoldShape fold = {
        .extents = {shape.rows / shape.groups, shape.groups, per_group, shape.inner},
        .folded = {true, false, false, true},
        .inputs = {elements, elements, statistics, statistics},
        .output = {0, per_group, 1, 0}};
    constexpr ElementType f32 = ElementType::f32;
    return fold_kernels<4>("strata:row_parameters", fold, {types[0], types[1], f32, f32, f32, f32},
                           ParameterFold());
}

}  // namespace

NormalizedRows rows_for_kernels(const RowNormalization& n) {
    return {n.rows,    n.width,      n.groups,    n.inner, static_cast<float>(n.epsilon),
            n.centred, n.scale != 0, n.shift != 0};
}

Kernel row_normalization_forward(const NormalizedRows& shape,
                                 const std::array<ElementType, 2>& types) {
    return packed_rows("strata:row_normalization", shape.rows, shape.width,
                       [=](std::span<void* const> at) {
                           return RowForward{Elements(at[0], types[0]),
                                             floats(at[1]),
                                             floats(at[2]),
                                             Elements(at[3], types[1]),
                                             floats(at[4]),
                                             floats(at[5]),
                                             shape,
                                             parameters_of(shape)};
                       });
}

Kernel row_normalization_backward(const NormalizedRows& shape,
                                  const std::array<ElementType, 3>& types) {
    return packed_rows("strata:row_normalization_backward", shape.rows, shape.width,
                       [=](std::span<void* const> at) {
                           return RowBackward{Elements(at[0], types[0]),
                                              Elements(at[1], types[1]),
                                              floats(at[2]),
                                              floats(at[3]),
                                              floats(at[4]),
                                              Elements(at[5], types[2]),
                                              shape,
                                              parameters_of(shape)};
                       });
}

FoldKernels row_parameter_fold(const NormalizedRows& shape,
                               const std::array<ElementType, 2>& types) {
    return shape.groups == 1 && shape.inner == 1 && fills_packs(shape.width)
               ? column_fold(shape, types)
               : grouped_fold(shape, types);
}

}  // namespace strata::cuda
