// SPDX-License-Identifier: MIT
#include "backend/cuda/products.h"

#include "backend/cuda/kernels/strides.h"

namespace strata::cuda {

namespace {

// A stack's axes, with the summed ones separate, so that no batch holds two products of one result.
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

constexpr int none = -1;

// The longest axis; `none` if there is no axis.
int longest_of(const Axes& axes) {
    int longest = axes.rank > 0 ? 0 : none;
    for (int axis = 1; axis < axes.rank; ++axis) {
        if (axes.extents[axis].value() > axes.extents[longest].value()) {
            longest = axis;
        }
    }
    return longest;
}

// Each of these beginnings, moved to every index of an axis.
std::vector<Begins> along(const Axes& axes, int axis, const std::vector<Begins>& begins) {
    std::vector<Begins> all;
    for (const Begins& begin : begins) {
        for (std::int64_t i = 0; i < axes.extents[axis].value(); ++i) {
            Begins moved = begin;
            for (std::size_t k = 0; k < moved.size(); ++k) {
                moved[k] += i * axes.strides[k][axis];
            }
            all.push_back(moved);
        }
    }
    return all;
}

// Where the operands begin at each index of all axes but one.
std::vector<Begins> begins_without(const Axes& axes, int left_out) {
    std::vector<Begins> begins = {{0, 0, 0}};
    for (int axis = 0; axis < axes.rank; ++axis) {
        if (axis != left_out) {
            begins = along(axes, axis, begins);
        }
    }
    return begins;
}

Call call_at(Matmul matmul, const Begins& apart, const Begins& summed, const Stacked& a,
             const Stacked& b, const Stacked& y) {
    return matmul_call(matmul, {part_of(a.view, apart[0] + summed[0], {1}),
                                part_of(b.view, apart[1] + summed[1], {1}),
                                part_of(y.view, apart[2] + summed[2], {1})});
}

}  // namespace

std::vector<Call> product_calls(const Matmul& shape, const Dims& extents, const Stacked& a,
                                const Stacked& b, const Stacked& y) {
    const Walk walk = walk_of(extents, a, b, y);
    Matmul matmul = shape;
    matmul.a = a.matrix;
    matmul.b = b.matrix;
    matmul.y = y.matrix;
    const int batched = longest_of(walk.apart);
    if (batched != none) {
        matmul.batch = walk.apart.extents[batched].value();
        matmul.a.batch_stride = walk.apart.strides[0][batched];
        matmul.b.batch_stride = walk.apart.strides[1][batched];
        matmul.y.batch_stride = walk.apart.strides[2][batched];
    }
    std::vector<Call> calls;
    for (const Begins& summed : begins_without(walk.summed, none)) {
        for (const Begins& apart : begins_without(walk.apart, batched)) {
            calls.push_back(call_at(matmul, apart, summed, a, b, y));
        }
        matmul.accumulates = true;
    }
    return calls;
}

}  // namespace strata::cuda
