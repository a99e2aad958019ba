// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/strides.h"

#include "base/error.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace strata::cuda {

namespace {

// Whether axis `outer` continues where `inner` ends, in every tensor.
bool continues(const Axes& axes, int outer, std::int64_t extent, const std::vector<Dims>& strides,
               std::size_t inner) {
    for (std::size_t tensor = 0; tensor < strides.size(); ++tensor) {
        if (axes.strides[tensor][outer] != strides[tensor][inner] * extent) {
            return false;
        }
    }
    return true;
}

Dims permuted(const Dims& values, const std::vector<std::size_t>& order) {
    Dims result;
    std::ranges::transform(order, std::back_inserter(result),
                           [&](std::size_t axis) { return values[axis]; });
    return result;
}

}  // namespace

Axes joined_axes(const Dims& extents, const std::vector<Dims>& strides) {
    check(strides.size() <= Axes::max_tensors, "a walk goes through at most six tensors");
    Axes axes;
    axes.count = product(extents);
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        const std::int64_t extent = extents[axis];
        if (extent == 1) {
            continue;
        }
        const bool joins = axes.rank > 0 && continues(axes, axes.rank - 1, extent, strides, axis);
        if (!joins && axes.rank == max_axes) {
            throw Error("a tensor has more axes than the GPU's kernels take, which is 8");
        }
        const int view = joins ? axes.rank - 1 : axes.rank++;
        axes.extents[view] = Divisor(joins ? axes.extents[view].value() * extent : extent);
        for (std::size_t tensor = 0; tensor < strides.size(); ++tensor) {
            axes.strides[tensor][view] = strides[tensor][axis];
        }
    }
    return axes;
}

Axes sorted_axes(const Dims& extents, const std::vector<Dims>& strides) {
    std::vector<std::size_t> order(extents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](std::size_t axis) { return std::abs(strides.back()[axis]); });
    std::vector<Dims> sorted;
    for (const Dims& one : strides) {
        sorted.push_back(permuted(one, order));
    }
    return joined_axes(permuted(extents, order), sorted);
}

}  // namespace strata::cuda
