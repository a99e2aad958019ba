// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/matrix.h"
#include "backend/reference/operators.h"
#include "backend/reference/views.h"

#include <algorithm>
#include <vector>

namespace strata {

namespace {

using Index = std::ptrdiff_t;

Dims leading(const Dims& dims) {
    return {dims.begin(), dims.end() - 2};
}

Index matrix_elements(const Dims& dims) {
    return dims[dims.size() - 2] * dims.back();
}

// One operand: a stack of matrices, each seen as the product needs it.
struct ProductStack {
    Broadcast matrix_of;  // the index of the matrix that product i reads
    Index elements = 0;   // of one matrix
    Index row = 0;        // strides after the transposition
    Index column = 0;

    Index offset(Index product) const {
        return static_cast<Index>(matrix_of(static_cast<std::size_t>(product))) * elements;
    }
    StridedMatrix matrix(const float* values, Index product) const {
        return {values + offset(product), row, column};
    }
};

ProductStack stack_of(const Dims& operand, bool is_transposed, const Dims& result) {
    const Index columns = operand.back();
    return {Broadcast(leading(operand), leading(result)), matrix_elements(operand),
            is_transposed ? 1 : columns, is_transposed ? columns : 1};
}

struct ProductShape {
    ProductStack a;
    ProductStack b;
    Index m = 0;
    Index n = 0;
    Index k = 0;
    Index products = 0;
};

ProductShape shape_of(const MatMul& op, const ReferenceOperands& operands) {
    const Dims& a = operands.input_dims(0);
    const Dims& y = operands.output_dims(0);
    return {stack_of(a, op.transpose_a, y),
            stack_of(operands.input_dims(1), op.transpose_b, y),
            y[y.size() - 2],
            y.back(),
            op.transpose_a ? a[a.size() - 2] : a.back(),
            product(leading(y))};
}

void store(std::span<const double> sums, std::span<float> values) {
    std::ranges::transform(sums, values.begin(),
                           [](double sum) { return static_cast<float>(sum); });
}

// Gradients are summed in the operand's own storage order. If the operand is transposed, so is the
// product: da = dy b', or for a' da' = b dy'.
void left_gradient(const MatMul& op, const ProductShape& s, const ReferenceOperands& operands) {
    std::vector<double> sums(operands.input_gradients[0].size());
    for (Index i = 0; i < s.products; ++i) {
        const StridedMatrix dy = {operands.output_gradients[0].data() + i * s.m * s.n, s.n};
        const StridedMatrix b = s.b.matrix(operands.inputs[1].data(), i);
        double* da = sums.data() + s.a.offset(i);
        if (op.transpose_a) {
            multiply_accumulate({s.k, s.m, s.n}, b, dy.transposed(), da, s.m);
        } else {
            multiply_accumulate({s.m, s.k, s.n}, dy, b.transposed(), da, s.k);
        }
    }
    store(sums, operands.input_gradients[0]);
}

// db = a' dy, or for b' db' = dy' a.
void right_gradient(const MatMul& op, const ProductShape& s, const ReferenceOperands& operands) {
    std::vector<double> sums(operands.input_gradients[1].size());
    for (Index i = 0; i < s.products; ++i) {
        const StridedMatrix dy = {operands.output_gradients[0].data() + i * s.m * s.n, s.n};
        const StridedMatrix a = s.a.matrix(operands.inputs[0].data(), i);
        double* db = sums.data() + s.b.offset(i);
        if (op.transpose_b) {
            multiply_accumulate({s.n, s.k, s.m}, dy.transposed(), a, db, s.k);
        } else {
            multiply_accumulate({s.k, s.n, s.m}, a.transposed(), dy, db, s.n);
        }
    }
    store(sums, operands.input_gradients[1]);
}

}  // namespace

void reference_forward(const MatMul& op, const ReferenceOperands& operands) {
    const ProductShape s = shape_of(op, operands);
    parallel_for(s.products, static_cast<double>(s.m * s.n * s.k), [&](Index i) {
        std::vector<double> sums(static_cast<std::size_t>(s.m * s.n));
        multiply_accumulate({s.m, s.n, s.k}, s.a.matrix(operands.inputs[0].data(), i),
                            s.b.matrix(operands.inputs[1].data(), i), sums.data(), s.n);
        store(sums, operands.outputs[0].subspan(static_cast<std::size_t>(i * s.m * s.n)));
    });
}

void reference_backward(const MatMul& op, const ReferenceOperands& operands) {
    const ProductShape s = shape_of(op, operands);
    if (operands.wants_gradient(0)) {
        left_gradient(op, s, operands);
    }
    if (operands.wants_gradient(1)) {
        right_gradient(op, s, operands);
    }
}

}  // namespace strata
