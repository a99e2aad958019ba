// SPDX-License-Identifier: MIT
#include "networks/onnx/operator/attention.h"

#include <fmt/format.h>

namespace strata {

std::int64_t head_count(const NodeImport& node, std::string_view attribute, std::int64_t absent) {
    constexpr std::int64_t most = std::int64_t{1} << 20;
    const std::int64_t stated = node.integer(attribute, absent);
    if (stated < 1 || stated > most) {
        throw Unsupported{fmt::format("{} is {}", attribute, stated)};
    }
    return stated;
}

TensorId by_head(Composition& steps, TensorId x, std::int64_t heads) {
    const Dims dims = steps.dims(x);
    if (dims.size() != 3) {
        return x;
    }
    if (heads < 1 || dims[2] % heads != 0) {
        throw Unsupported{fmt::format("{} features do not divide into {} heads", dims[2], heads)};
    }
    const TensorId split = steps.reshape(x, {dims[0], dims[1], heads, dims[2] / heads});
    return steps.transpose(split, {0, 2, 1, 3});
}

TensorId with_past(const NodeImport& node, Composition& steps, TensorId x, std::size_t past) {
    return node.has_input(past) ? steps.add(Concat{.axis = 2}, {node.operand(past), x}) : x;
}

void give_present(const NodeImport& node, TensorId keys, TensorId values) {
    if (node.is_used(1)) {
        node.result_part(1, Identity{}, {keys});
    }
    if (node.is_used(2)) {
        node.result_part(2, Identity{}, {values});
    }
}

void require_scores_unread(const NodeImport& node) {
    unsupported_if(node.is_used(3), "its scores are read");
}

void give_rows(const NodeImport& node, Composition& steps, const Attention& attention,
               std::vector<TensorId> operands) {
    const TensorId y = steps.transpose(steps.add(attention, std::move(operands)), {0, 2, 1, 3});
    const Dims dims = steps.dims(y);
    node.result(Reshape{.dims = {dims[0], dims[1], dims[2] * dims[3]}}, {y});
}

namespace {

// Every step-th element of the last axis, beginning with `start`.
TensorId last_axis(Composition& steps, TensorId x, std::int64_t start, std::int64_t extent,
                   std::int64_t step) {
    return steps.add(Slice{.axes = {-1}, .starts = {start}, .extents = {extent}, .steps = {step}},
                     {x});
}

}  // namespace

TensorId rotated(Composition& steps, TensorId x, TensorId cosine, TensorId sine, bool interleaved) {
    const std::int64_t half = steps.dims(cosine).back();
    const std::int64_t all = steps.dims(x).back();
    unsupported_if(2 * half > all, "it has more angles than pairs");
    const TensorId a = last_axis(steps, x, 0, half, interleaved ? 2 : 1);
    const TensorId b = last_axis(steps, x, interleaved ? 1 : half, half, interleaved ? 2 : 1);
    const auto times = [&](TensorId p, TensorId q) { return steps.product(p, q); };
    TensorId real = steps.difference(times(cosine, a), times(sine, b));
    TensorId imaginary = steps.sum(times(sine, a), times(cosine, b));
    Dims dims = steps.dims(x);
    dims.back() = 2 * half;
    if (interleaved) {
        Dims single = steps.dims(real);
        single.push_back(1);
        real = steps.reshape(real, single);
        imaginary = steps.reshape(imaginary, single);
    }
    const TensorId turned = steps.reshape(steps.add(Concat{.axis = -1}, {real, imaginary}), dims);
    if (2 * half == all) {
        return turned;
    }
    const TensorId rest = last_axis(steps, x, 2 * half, all - 2 * half, 1);
    return steps.add(Concat{.axis = -1}, {turned, rest});
}

}  // namespace strata
