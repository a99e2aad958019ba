// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/matrix.h"
#include "backend/reference/operators.h"

#include <algorithm>
#include <vector>

namespace strata {

namespace {

using Index = std::ptrdiff_t;

struct Extents {
    Index images = 0;
    Index in = 0;
    Index out = 0;

    // For this many rows or columns of the weight, roughly.
    double operations(Index lines) const {
        return static_cast<double>(lines * images) * static_cast<double>(std::min(in, out));
    }
};

Extents extents_of(const ReferenceOperands& operands) {
    const Dims& weight = operands.input_dims(1);
    return {operands.input_dims(0)[0], weight[1], weight[0]};
}

// Rows or columns that one thread computes at a time, so that its sums stay in the cache.
constexpr Index block = 64;

Index blocks_of(Index lines) {
    return (lines + block - 1) / block;
}

// dx[n, i] = sum over o of dy[n, o] * weight[o, i]
void data_gradient(const Extents& e, const ReferenceOperands& operands) {
    float* dx = operands.input_gradients[0].data();
    parallel_for(blocks_of(e.in), e.operations(block), [&](Index number) {
        const Index first = number * block, count = std::min(block, e.in - first);
        std::vector<double> sums(static_cast<std::size_t>(e.images * count));
        multiply_accumulate({e.images, count, e.out}, {operands.output_gradients[0].data(), e.out},
                            {operands.inputs[1].data() + first, e.in}, sums.data(), count);
        for (Index i = 0; i < e.images * count; ++i) {
            dx[i / count * e.in + first + i % count] =
                static_cast<float>(sums[static_cast<std::size_t>(i)]);
        }
    });
}

// dweight[o, i] = sum over n of dy[n, o] * x[n, i]
void weight_gradient(const Extents& e, const ReferenceOperands& operands) {
    const StridedMatrix dy = {operands.output_gradients[0].data(), e.out};
    float* dw = operands.input_gradients[1].data();
    parallel_for(blocks_of(e.out), e.operations(block), [&](Index number) {
        const Index first = number * block, count = std::min(block, e.out - first);
        std::vector<double> sums(static_cast<std::size_t>(count * e.in));
        multiply_accumulate({count, e.in, e.images}, {dy.data + first, 1, e.out},
                            {operands.inputs[0].data(), e.in}, sums.data(), e.in);
        std::ranges::transform(sums, dw + first * e.in,
                               [](double sum) { return static_cast<float>(sum); });
    });
}

// dbias[o] = sum over n of dy[n, o]
void bias_gradient(const Extents& e, const ReferenceOperands& operands) {
    for (Index o = 0; o < e.out; ++o) {
        double sum = 0;
        for (Index n = 0; n < e.images; ++n) {
            sum += operands.output_gradients[0][static_cast<std::size_t>(n * e.out + o)];
        }
        operands.input_gradients[2][static_cast<std::size_t>(o)] = static_cast<float>(sum);
    }
}

}  // namespace

// y[n, o] = bias[o] + sum over i of x[n, i] * weight[o, i]
void reference_forward(const FullyConnected& op, const ReferenceOperands& operands) {
    const Extents e = extents_of(operands);
    const auto columns = transposed(operands.inputs[0], static_cast<std::size_t>(e.images),
                                    static_cast<std::size_t>(e.in));
    float* y = operands.outputs[0].data();
    parallel_for(e.out, e.operations(1), [&](Index o) {
        const double start = op.bias ? operands.inputs[2][static_cast<std::size_t>(o)] : 0.0;
        std::vector<double> sums(static_cast<std::size_t>(e.images), start);
        multiply_accumulate({1, e.images, e.in}, {operands.inputs[1].data() + o * e.in, e.in},
                            {columns.data(), e.images}, sums.data(), e.images);
        for (Index n = 0; n < e.images; ++n) {
            y[n * e.out + o] = static_cast<float>(sums[static_cast<std::size_t>(n)]);
        }
    });
}

void reference_backward(const FullyConnected& op, const ReferenceOperands& operands) {
    const Extents e = extents_of(operands);
    if (operands.wants_gradient(0)) {
        data_gradient(e, operands);
    }
    if (operands.wants_gradient(1)) {
        weight_gradient(e, operands);
    }
    if (op.bias && operands.wants_gradient(2)) {
        bias_gradient(e, operands);
    }
}

}  // namespace strata
