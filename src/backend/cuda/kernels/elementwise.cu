// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/elementwise.h"

#include "backend/cuda/kernels/fold.cuh"
#include "backend/cuda/kernels/map.cuh"
#include "backend/cuda/kernels/with_constant.h"
#include "base/error.h"

namespace strata::cuda {

namespace {

__device__ float combine(ElementwiseKind kind, float a, float b) {
    switch (kind) {
        case ElementwiseKind::add:
            return a + b;
        case ElementwiseKind::multiply:
            return a * b;
        case ElementwiseKind::subtract:
            return a - b;
        case ElementwiseKind::divide:
            return a / b;
        case ElementwiseKind::maximum:
            return a < b ? b : a;
        case ElementwiseKind::minimum:
            return b < a ? b : a;
        case ElementwiseKind::power:
            return powf(a, b);
        case ElementwiseKind::remainder:
            return a - b * floorf(a / b);
        case ElementwiseKind::prelu:
            return a > 0 ? a : a * b;
        case ElementwiseKind::equal:
            return a == b ? 1 : 0;
        case ElementwiseKind::less:
            return a < b ? 1 : 0;
        case ElementwiseKind::less_or_equal:
            return a <= b ? 1 : 0;
        case ElementwiseKind::greater:
            return a > b ? 1 : 0;
        case ElementwiseKind::greater_or_equal:
            return a >= b ? 1 : 0;
        case ElementwiseKind::logical_and:
            return a != 0 && b != 0 ? 1 : 0;
        case ElementwiseKind::logical_or:
            return a != 0 || b != 0 ? 1 : 0;
        case ElementwiseKind::logical_xor:
            return (a != 0) != (b != 0) ? 1 : 0;
    }
    return 0;
}

template <ElementwiseKind kind>
struct Pair {
    bool cuts;
    __device__ float of(float a, float b) const {
        const float result = combine(kind, a, b);
        return cuts ? truncf(result) : result;
    }
    __device__ void operator()(std::int64_t, const float* in, float* y) const {
        y[0] = of(in[0], in[1]);
    }
};

template <ElementwiseKind kind>
struct BroadcastBody {
    Elements a;
    Elements b;
    Elements y;
    Axes axes;
    Pair<kind> pair;

    __device__ void operator()(std::int64_t i) const {
        const auto offsets = offsets_of<3>(axes, i);
        y.store(offsets.at[2], pair.of(a.load(offsets.at[0]), b.load(offsets.at[1])));
    }
};

// d f / d (operand), of two operands or of up to three that are added, multiplied or compared.
template <int Operands>
__device__ float slope(ElementwiseKind kind, int operand, const float* x) {
    switch (kind) {
        case ElementwiseKind::add:
            return 1;
        case ElementwiseKind::subtract:
            return operand == 0 ? 1 : -1;
        case ElementwiseKind::multiply: {
            float others = 1;
            for (int k = 0; k < Operands; ++k) {
                others *= k == operand ? 1 : x[k];
            }
            return others;
        }
        case ElementwiseKind::divide:
            return operand == 0 ? 1 / x[1] : -x[0] / (x[1] * x[1]);
        case ElementwiseKind::maximum:
        case ElementwiseKind::minimum:
            for (int k = 0; k < Operands; ++k) {  // the first of equal ones
                const float greater =
                    kind == ElementwiseKind::maximum ? x[k] - x[operand] : x[operand] - x[k];
                if (greater > 0 || (greater == 0 && k < operand)) {
                    return 0;
                }
            }
            return 1;
        case ElementwiseKind::power:
            return operand == 0 ? x[1] * powf(x[0], x[1] - 1) : powf(x[0], x[1]) * logf(x[0]);
        case ElementwiseKind::remainder:
            return operand == 0 ? 1 : -floorf(x[0] / x[1]);
        case ElementwiseKind::prelu:
            return operand == 0 ? (x[0] > 0 ? 1 : x[1]) : fminf(x[0], 0);
        default:
            return 0;
    }
}

template <int Operands>
struct GradientFold : SumFold {
    ElementwiseKind kind;
    int operand;
    __device__ void add(float* carried, const float* values, std::int64_t) const {
        carried[0] += values[0] * slope<Operands>(kind, operand, values + 1);
    }
};

struct NegativeSum : SumFold {
    __device__ void finish(float* carried) const { carried[0] = -carried[0]; }
};

struct SelectFold : SumFold {
    bool of_first;
    __device__ void add(float* carried, const float* values, std::int64_t) const {
        carried[0] += (values[1] != 0) == of_first ? values[0] : 0;
    }
};

struct SelectBody {
    Elements condition;
    Elements a;
    Elements b;
    Elements y;
    Axes axes;

    __device__ void operator()(std::int64_t i) const {
        const auto offsets = offsets_of<4>(axes, i);
        const bool first = condition.load(offsets.at[0]) != 0;
        y.store(offsets.at[3], first ? a.load(offsets.at[1]) : b.load(offsets.at[2]));
    }
};

std::string name_of(ElementwiseKind kind, std::string_view suffix) {
    return "strata:" + std::string(names_of(kind)[static_cast<std::size_t>(kind)]) +
           std::string(suffix);
}

template <int Operands>
FoldKernels gradient_of(ElementwiseKind kind, int operand, const FoldShape& shape,
                        const std::vector<ElementType>& types) {
    std::array<ElementType, Operands + 2> known;
    std::copy_n(types.begin(), known.size(), known.begin());
    return fold_kernels<Operands + 1>(name_of(kind, "_backward"), shape, known,
                                      GradientFold<Operands>{{}, kind, operand});
}

}  // namespace

Kernel elementwise_forward(ElementwiseKind kind, bool cuts, std::int64_t count,
                           const std::array<ElementType, 3>& types) {
    return with_constant(kind, [&](auto constant) {
        return map<2, 1>(name_of(kind, "_forward"), count, types,
                         Pair<decltype(constant)::value>{cuts});
    });
}

Kernel elementwise_broadcast(ElementwiseKind kind, bool cuts, const Dims& extents,
                             const std::array<Dims, 3>& strides,
                             const std::array<ElementType, 3>& types) {
    const Axes axes = sorted_axes(extents, {strides[0], strides[1], strides[2]});
    return with_constant(kind, [&](auto constant) {
        constexpr ElementwiseKind known = decltype(constant)::value;
        return each(name_of(kind, "_broadcast"), axes.count,
                    [axes, types, cuts](std::span<void* const> at) {
                        return BroadcastBody<known>{Elements(at[0], types[0]),
                                                    Elements(at[1], types[1]),
                                                    Elements(at[2], types[2]),
                                                    axes,
                                                    {cuts}};
                    });
    });
}

FoldKernels elementwise_gradient(ElementwiseKind kind, int operand, const FoldShape& shape,
                                 const std::vector<ElementType>& types) {
    return shape.inputs.size() == 3 ? gradient_of<2>(kind, operand, shape, types)
                                    : gradient_of<3>(kind, operand, shape, types);
}

Kernel select_forward(const Dims& extents, const std::array<Dims, 4>& strides,
                      const std::array<ElementType, 4>& types) {
    const Axes axes = sorted_axes(extents, {strides[0], strides[1], strides[2], strides[3]});
    return each("strata:select_forward", axes.count, [=](std::span<void* const> at) {
        return SelectBody{Elements(at[0], types[0]), Elements(at[1], types[1]),
                          Elements(at[2], types[2]), Elements(at[3], types[3]), axes};
    });
}

FoldKernels select_gradient(bool of_first, const FoldShape& shape,
                            const std::array<ElementType, 3>& types) {
    return fold_kernels<2>("strata:select_backward", shape, types, SelectFold{{}, of_first});
}

FoldKernels negative_sum_fold(const FoldShape& shape, const std::array<ElementType, 2>& types) {
    return fold_kernels<1>("strata:negative_sum", shape, types, NegativeSum());
}

FoldKernels sum_fold(const std::string& name, const FoldShape& shape,
                     const std::array<ElementType, 2>& types) {
    return fold_kernels<1>(name, shape, types, SumFold());
}

}  // namespace strata::cuda
