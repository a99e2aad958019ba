// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/elementwise.h"

#include "backend/cuda/kernels/broadcast.cuh"
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

// Whether this is the first of the greatest operands (`sign` 1) or of the smallest (-1).
template <int Operands>
__device__ bool is_first_extreme(int operand, const float* x, float sign) {
    float own = x[0];
    for (int k = 1; k < Operands; ++k) {
        own = k == operand ? x[k] : own;
    }
    for (int k = 0; k < Operands; ++k) {
        const float greater = sign * (x[k] - own);
        if (greater > 0 || (greater == 0 && k < operand)) {
            return false;
        }
    }
    return true;
}

// d f / d (operand), of two operands or of up to three that are compared; that of a product is in
// ProductFold.
template <int Operands>
__device__ float slope(ElementwiseKind kind, int operand, const float* x) {
    switch (kind) {
        case ElementwiseKind::divide:
            return operand == 0 ? 1 / x[1] : -x[0] / (x[1] * x[1]);
        case ElementwiseKind::maximum:
            return is_first_extreme<Operands>(operand, x, 1) ? 1 : 0;
        case ElementwiseKind::minimum:
            return is_first_extreme<Operands>(operand, x, -1) ? 1 : 0;
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

// Inputs: dy and every operand.
template <int Operands>
struct GradientFold : SumFold {
    ElementwiseKind kind;
    int operand;
    __device__ void add(float* carried, const float* values, std::int64_t) const {
        carried[0] += values[0] * slope<Operands>(kind, operand, values + 1);
    }
};

// Inputs: dy and the other operands of a product.
template <int Inputs>
struct ProductFold : SumFold {
    __device__ void add(float* carried, const float* values, std::int64_t) const {
        float product = values[0];
        for (int k = 1; k < Inputs; ++k) {
            product *= values[k];
        }
        carried[0] += product;
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

struct Select {
    __device__ void operator()(std::int64_t, const float* in, float* y) const {
        y[0] = in[0] != 0 ? in[1] : in[2];
    }
};

// A fold that has one element for each result.
template <class Fold>
struct FoldOfOne {
    Fold fold;
    __device__ void operator()(std::int64_t, const float* values, float* result) const {
        fold.start(result);
        fold.add(result, values, 0);
        fold.finish(result);
    }
};

bool folds_nothing(const FoldShape& shape) {
    for (std::size_t axis = 0; axis < shape.extents.size(); ++axis) {
        if (shape.folded[axis] && shape.extents[axis] > 1) {
            return false;
        }
    }
    return true;
}

// Sums over the copies of an operand, if it has copies.
template <int Inputs, class Fold>
FoldKernels copies_fold(const std::string& name, const FoldShape& shape,
                        const std::array<ElementType, Inputs + 1>& types, Fold fold) {
    if (!folds_nothing(shape)) {
        return fold_kernels<Inputs>(name, shape, types, fold);
    }
    std::array<Dims, Inputs + 1> strides;
    std::copy_n(shape.inputs.begin(), Inputs, strides.begin());
    strides[Inputs] = shape.output;
    return {{broadcast_map<Inputs>(name, shape.extents, strides, types, FoldOfOne<Fold>{fold})}, 0};
}

std::string name_of(ElementwiseKind kind, std::string_view suffix) {
    return "strata:" + std::string(names_of(kind)[static_cast<std::size_t>(kind)]) +
           std::string(suffix);
}

// Calls make with the number of inputs, 2 to 4, as a constant, and their and the result's types.
template <class Make>
FoldKernels with_inputs(const FoldShape& shape, const std::vector<ElementType>& types,
                        const Make& make) {
    const auto of = [&](auto inputs) {
        std::array<ElementType, inputs + 1> known;
        std::copy_n(types.begin(), known.size(), known.begin());
        return make(inputs, known);
    };
    switch (shape.inputs.size()) {
        case 2:
            return of(std::integral_constant<int, 2>());
        case 3:
            return of(std::integral_constant<int, 3>());
        default:
            return of(std::integral_constant<int, 4>());
    }
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
    return with_constant(kind, [&](auto constant) {
        return broadcast_map<2>(name_of(kind, "_broadcast"), extents, strides, types,
                                Pair<decltype(constant)::value>{cuts});
    });
}

FoldKernels elementwise_gradient(ElementwiseKind kind, int operand, const FoldShape& shape,
                                 const std::vector<ElementType>& types) {
    const std::string name = name_of(kind, "_backward");
    return with_inputs(shape, types, [&](auto inputs, const auto& known) {
        if constexpr (inputs > 2) {
            if (kind != ElementwiseKind::multiply) {
                return copies_fold<inputs>(name, shape, known,
                                           GradientFold<inputs - 1>{{}, kind, operand});
            }
        }
        return copies_fold<inputs>(name, shape, known, ProductFold<inputs>());
    });
}

Kernel select_forward(const Dims& extents, const std::array<Dims, 4>& strides,
                      const std::array<ElementType, 4>& types) {
    return broadcast_map<3>("strata:select_forward", extents, strides, types, Select());
}

FoldKernels select_gradient(bool of_first, const FoldShape& shape,
                            const std::array<ElementType, 3>& types) {
    return copies_fold<2>("strata:select_backward", shape, types, SelectFold{{}, of_first});
}

FoldKernels negative_sum_fold(const FoldShape& shape, const std::array<ElementType, 2>& types) {
    return copies_fold<1>("strata:negative_sum", shape, types, NegativeSum());
}

FoldKernels sum_fold(const std::string& name, const FoldShape& shape,
                     const std::array<ElementType, 2>& types) {
    return copies_fold<1>(name, shape, types, SumFold());
}

}  // namespace strata::cuda
