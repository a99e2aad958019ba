// SPDX-License-Identifier: MIT
#include "backend/cuda/products.h"

#include "backend/cuda/kernels/strides.h"

namespace strata::cuda {

namespace {

// Axes that are added up come first, so that no batch holds two products of one result.
struct Walk {
    Axes summed;
    Axes apart;
};

Walk walk_of(const Dims& extents, const Stacked& a, const Stacked& b, const Stacked& y) {
    std::array<Dims, 2> dims;
    std::array<std::vector<Dims>, 2> strides = {std::vector<Dims>(3), std::vector<Dims>(3)};
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        const std::size_t which = y.strides[axis] == 0 ? 0 : 1;
        dims[which].push_back(extents[axis]);
        strides[which][0].push_back(a.strides[axis]);
        strides[which][1].push_back(b.strides[axis]);
        strides[which][2].push_back(y.strides[axis]);
    }
    return {joined_axes(dims[0], strides[0]), joined_axes(dims[1], strides[1])};
}

using Begins = std::array<std::int64_t, 3>;

// Where the operands of each index of all but the innermost axes begin.
std::vector<Begins> outer_begins(const Axes& axes, int rank) {
    std::vector<Begins> begins = {{0, 0, 0}};
    for (int axis = 0; axis < rank; ++axis) {
        std::vector<Begins> next;
        for (const Begins& begin : begins) {
            for (std::int64_t i = 0; i < axes.extents[axis].value(); ++i) {
                Begins moved = begin;
                for (std::size_t k = 0; k < moved.size(); ++k) {
                    moved[k] += i * axes.strides[k][axis];
                }
                next.push_back(moved);
            }
        }
        begins = std::move(next);
    }
    return begins;
}

Call call_at(Matmul matmul, const Begins& apart, const Begins& summed, const Stacked& a,
             const Stacked& b, const Stacked& y) {
    return matmul_call(matmul, {part_of(a.place, apart[0] + summed[0], {1}),
                                part_of(b.place, apart[1] + summed[1], {1}),
                                part_of(y.place, apart[2] + summed[2], {1})});
}

}  // namespace

std::vector<Call> product_calls(const Matmul& shape, const Dims& extents, const Stacked& a,
                                const Stacked& b, const Stacked& y) {
    const Walk walk = walk_of(extents, a, b, y);
    Matmul matmul = shape;
    matmul.a = a.matrix;
    matmul.b = b.matrix;
    matmul.y = y.matrix;
    const int innermost = walk.apart.rank - 1;
    if (innermost >= 0) {
        matmul.batch = walk.apart.extents[innermost].value();
        matmul.a.batch_stride = walk.apart.strides[0][innermost];
        matmul.b.batch_stride = walk.apart.strides[1][innermost];
        matmul.y.batch_stride = walk.apart.strides[2][innermost];
    }
    std::vector<Call> calls;
    for (const Begins& summed : outer_begins(walk.summed, walk.summed.rank)) {
        for (const Begins& apart : outer_begins(walk.apart, innermost)) {
            calls.push_back(call_at(matmul, apart, summed, a, b, y));
        }
        matmul.accumulates = true;
    }
    return calls;
}

}  // namespace strata::cuda
