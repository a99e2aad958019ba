// SPDX-License-Identifier: MIT
#include "networks/onnx/arrangement.h"

#include "base/error.h"

#include <fmt/format.h>
#include <algorithm>
#include <vector>

namespace strata {

namespace {

// Axes come as an attribute before opset 13 and as input 1 since.
Dims axes_of(const NodeImport& node) {
    return node.has_input(1) ? node.integers_of_input(1) : node.integers("axes");
}

[[noreturn]] void refuse_reshape(const Dims& from, const Dims& to) {
    throw Error(fmt::format("{} cannot become {}; the number of elements must not change",
                            to_text(from), to_text(to)));
}

// The target with each 0 replaced by the input's extent, and one -1 by the remaining factor.
Dims resolved(Dims target, const Tensor& input) {
    const Dims asked = target;
    std::int64_t* open = nullptr;
    for (std::size_t i = 0; i < target.size(); ++i) {
        if (target[i] < -1 || (target[i] == 0 && i >= input.dims.size()) ||
            (target[i] == -1 && open)) {
            refuse_reshape(input.dims, asked);
        }
        target[i] = target[i] == 0 ? input.dims[i] : target[i];
        open = target[i] == -1 ? &target[i] : open;
    }
    if (open) {
        *open = 1;
        const std::int64_t others = product(target);
        *open = others > 0 ? input.elements() / others : 0;
    }
    return target;
}

// A target that repeats the file's batch, with the requested batch instead: the first extent
// becomes the batch itself or, if that does not fit, a multiple of it.
Dims with_batch(const Dims& target, const BatchChange& change, const Tensor& input) {
    if (target.empty() || target[0] < 1 || input.dims.empty()) {
        return target;
    }
    Dims changed = target;
    if (target[0] == change.from && input.dims[0] == change.to) {
        changed[0] = change.to;
        if (product(resolved(changed, input)) == input.elements()) {
            return changed;
        }
    }
    const bool fits = product(resolved(target, input)) == input.elements();
    if (!fits && target[0] % change.from == 0) {
        changed[0] = product(Dims{target[0] / change.from, change.to});
        return changed;
    }
    return target;
}

}  // namespace

std::size_t axis_of(std::int64_t axis, std::size_t rank) {
    const auto axes = static_cast<std::int64_t>(rank);
    if (axis < -axes || axis >= axes) {
        throw Error(fmt::format("axis {} is not one of {} axes", axis, rank));
    }
    return static_cast<std::size_t>(axis < 0 ? axis + axes : axis);
}

Dims reshape_target(const NodeImport& node) {
    const Tensor& input = node.input(0);
    const bool states_zero = node.integer("allowzero", 0) != 0;
    Dims target = node.has_input(1) ? node.integers_of_input(1) : node.integers("shape");
    if (states_zero && std::ranges::find(target, 0) != target.end()) {
        throw Unsupported{"its target is empty"};
    }
    if (node.batch_change() && !node.constant(0)) {
        target = with_batch(target, *node.batch_change(), input);
    }
    require_sane(Dims(target.size(), 1));
    const Dims dims = resolved(target, input);
    if (product(dims) != input.elements()) {
        refuse_reshape(input.dims, target);
    }
    return dims;
}

Dims flatten_target(const NodeImport& node) {
    const auto& dims = node.input(0).dims;
    const std::int64_t axis = node.integer("axis", 1);
    const std::size_t split = axis == std::ssize(dims) ? dims.size() : axis_of(axis, dims.size());
    return {product(std::span(dims).first(split)), product(std::span(dims).subspan(split))};
}

Dims squeeze_target(const NodeImport& node) {
    const auto& dims = node.input(0).dims;
    const Dims axes = axes_of(node);
    std::vector<bool> drop(dims.size());
    for (std::int64_t axis : axes) {
        drop[axis_of(axis, dims.size())] = true;
    }
    Dims target;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (drop[i] && dims[i] != 1) {
            throw Error(fmt::format("axis {} of {} cannot be dropped, its extent is not 1", i,
                                    to_text(dims)));
        }
        if (axes.empty() ? dims[i] != 1 : !drop[i]) {
            target.push_back(dims[i]);
        }
    }
    return target;
}

Dims unsqueeze_target(const NodeImport& node) {
    const auto& dims = node.input(0).dims;
    const Dims axes = axes_of(node);
    require_sane(Dims(dims.size() + axes.size(), 1));
    std::vector<bool> is_new(dims.size() + axes.size());
    for (std::int64_t axis : axes) {
        is_new[axis_of(axis, is_new.size())] = true;
    }
    if (std::ranges::count(is_new, true) != std::ssize(axes)) {
        throw Error("its axes repeat");
    }
    Dims target;
    auto next = dims.begin();
    for (const bool added : is_new) {
        target.push_back(added ? 1 : *next++);
    }
    return target;
}

Dims transpose_permutation(const NodeImport& node) {
    const std::size_t rank = node.input(0).dims.size();
    Dims permutation = node.integers("perm");
    if (permutation.empty()) {
        for (std::size_t axis = rank; axis-- > 0;) {
            permutation.push_back(static_cast<std::int64_t>(axis));
        }
    }
    Dims sorted = permutation;
    std::ranges::sort(sorted);
    for (std::size_t axis = 0; axis < std::max(rank, sorted.size()); ++axis) {
        if (sorted.size() != rank || sorted[axis] != static_cast<std::int64_t>(axis)) {
            throw Error(
                fmt::format("perm does not permute the axes of {}", to_text(node.input(0).dims)));
        }
    }
    return permutation;
}

}  // namespace strata
