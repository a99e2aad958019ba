// SPDX-License-Identifier: MIT
#include "networks/onnx/convert/attention.h"

#include "networks/onnx/convert/converters.h"

#include <fmt/format.h>
#include <limits>

namespace strata {

namespace {

void require_plain(const NodeImport& node) {
    if (node.number("softcap", 0) != 0) {
        throw Unsupported{"capped scores are not supported"};
    }
    if (node.integer("left_window_size", -1) >= 0 || node.integer("right_window_size", -1) >= 0) {
        throw Unsupported{"attention within a window is not supported"};
    }
    if (node.is_used(3)) {
        throw Unsupported{"its scores are read"};
    }
    if (node.has_input(6)) {
        throw Unsupported{"sequences of different lengths are not supported"};
    }
}

// The number of axes of queries, keys and values: 3, or 4 with one for the heads. Values cached
// from earlier calls always have 4.
std::size_t rank_of_operands(const NodeImport& node) {
    const std::size_t rank = node.input(0).dims.size();
    if (rank != 3 && rank != 4) {
        throw Unsupported{"its queries have neither 3 nor 4 axes"};
    }
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}, std::size_t{4}, std::size_t{5}}) {
        const std::size_t wanted = i < 3 ? rank : 4;
        if ((i < 3 || node.has_input(i)) && node.input(i).dims.size() != wanted) {
            throw Unsupported{fmt::format("its input {} is {} where {} axes are needed", i,
                                          to_text(node.input(i).dims), wanted)};
        }
    }
    return rank;
}

}  // namespace

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

namespace {

// A boolean mask as numbers to add: 0 for true, the lowest number for false.
TensorId as_bias(Composition& steps, TensorId mask, DataType dtype) {
    if (steps.dtype(mask) != DataType::boolean) {
        return mask;
    }
    const TensorId zero = steps.scalar(0, dtype);
    const TensorId lowest =
        steps.scalar(static_cast<double>(std::numeric_limits<float>::lowest()), dtype);
    return steps.add(Select{}, {mask, zero, lowest});
}

}  // namespace

Constant causal_mask(const NodeImport& node, std::int64_t queries, std::int64_t keys,
                     std::int64_t first) {
    if (!is_small({queries, keys})) {
        throw Unsupported{"its causal mask is too large"};
    }
    node.spend(queries * keys);
    std::vector<double> values;
    for (std::int64_t q = 0; q < queries; ++q) {
        for (std::int64_t k = 0; k < keys; ++k) {
            values.push_back(
                k <= q + first ? 0 : static_cast<double>(std::numeric_limits<float>::lowest()));
        }
    }
    return constant_of({{queries, keys}, DataType::f32}, values);
}

namespace {

// The bias added to the scores; nothing if there is no mask.
std::optional<TensorId> bias_of(const NodeImport& node, Composition& steps, bool causal_apart,
                                std::int64_t queries, std::int64_t keys) {
    std::optional<TensorId> bias;
    if (node.has_input(3)) {
        bias = as_bias(steps, node.operand(3), node.input(0).dtype);
        if (steps.dims(*bias).empty() || steps.dims(*bias).back() != keys) {
            throw Unsupported{"its mask is shorter than the keys"};
        }
    }
    if (causal_apart) {
        const TensorId causal = steps.constant(causal_mask(node, queries, keys, 0));
        bias = bias ? steps.elementwise(ElementwiseKind::add, *bias, causal) : causal;
    }
    return bias;
}

}  // namespace

void convert_attention(const NodeImport& node) {
    require_plain(node);
    const std::size_t rank = rank_of_operands(node);
    Composition steps(node);
    const Dims x = node.input(0).dims;
    const std::int64_t heads = node.integer("q_num_heads", rank == 4 ? x[1] : 1);
    const std::int64_t kv_heads =
        node.integer("kv_num_heads", rank == 4 ? node.input(1).dims.at(1) : heads);
    const TensorId q = by_head(steps, node.operand(0), heads);
    const TensorId new_k = by_head(steps, node.operand(1), kv_heads);
    const TensorId k = with_past(node, steps, new_k, 4);
    const TensorId v = with_past(node, steps, by_head(steps, node.operand(2), kv_heads), 5);
    const std::int64_t queries = steps.dims(q).at(2);
    const bool causal = node.integer("is_causal", 0) != 0;
    const bool apart = causal && steps.dims(new_k).at(2) != queries;
    std::vector<TensorId> operands = {q, k, v};
    if (const auto bias = bias_of(node, steps, apart, queries, steps.dims(k).at(2))) {
        operands.push_back(*bias);
    }
    const Attention attention{.heads = heads,
                              .kv_heads = kv_heads,
                              .causal = causal && !apart,
                              .scale = node.number("scale", 0)};
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
        if (node.is_used(i)) {
            node.result_part(i, Identity{}, {i == 1 ? k : v});
        }
    }
    if (rank == 4) {
        node.result(attention, std::move(operands));
        return;
    }
    const TensorId y = steps.transpose(steps.add(attention, std::move(operands)), {0, 2, 1, 3});
    const Dims dims = steps.dims(y);
    node.result(Reshape{.dims = {dims[0], dims[1], dims[2] * dims[3]}}, {y});
}

namespace {

// The part of the last axis from `start` on, every step-th element.
TensorId last_axis(Composition& steps, TensorId x, std::int64_t start, std::int64_t extent,
                   std::int64_t step) {
    return steps.add(Slice{.axes = {-1}, .starts = {start}, .extents = {extent}, .steps = {step}},
                     {x});
}

// Cosines or sines for each position, with an axis inserted for the heads.
TensorId angles(const NodeImport& node, Composition& steps, std::size_t input) {
    TensorId table = node.operand(input);
    if (node.has_input(3)) {
        table = steps.add(Gather{.axis = 0}, {table, node.operand(3)});
    }
    const Dims dims = steps.dims(table);
    if (dims.size() != 3) {
        throw Unsupported{"its angles do not have three axes"};
    }
    return steps.reshape(table, {dims[0], dims[1], 1, dims[2]});
}

}  // namespace

TensorId rotated(Composition& steps, TensorId x, TensorId cosine, TensorId sine, bool interleaved) {
    const std::int64_t half = steps.dims(cosine).back();
    const std::int64_t all = steps.dims(x).back();
    if (2 * half > all) {
        throw Unsupported{"it has more angles than pairs"};
    }
    const TensorId a = last_axis(steps, x, 0, half, interleaved ? 2 : 1);
    const TensorId b = last_axis(steps, x, interleaved ? 1 : half, half, interleaved ? 2 : 1);
    const auto times = [&](TensorId p, TensorId q) {
        return steps.elementwise(ElementwiseKind::multiply, p, q);
    };
    TensorId real = steps.elementwise(ElementwiseKind::subtract, times(cosine, a), times(sine, b));
    TensorId imaginary = steps.elementwise(ElementwiseKind::add, times(sine, a), times(cosine, b));
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

void convert_rotary_embedding(const NodeImport& node) {
    const Dims dims = node.input(0).dims;
    Composition steps(node);
    const auto turned = [&](TensorId x) {
        const TensorId cosine = angles(node, steps, 1);
        return rotated(steps, x, cosine, angles(node, steps, 2),
                       node.integer("interleaved", 0) != 0);
    };
    if (dims.size() == 4) {
        const TensorId x = steps.transpose(node.operand(0), {0, 2, 1, 3});
        node.result(Transpose{.permutation = {0, 2, 1, 3}}, {turned(x)});
        return;
    }
    const std::int64_t heads = node.integer("num_heads", 1);
    if (dims.size() != 3 || heads < 1 || dims[2] % heads != 0) {
        throw Unsupported{
            fmt::format("its input {} does not divide into {} heads", to_text(dims), heads)};
    }
    const TensorId x = steps.reshape(node.operand(0), {dims[0], dims[1], heads, dims[2] / heads});
    node.result(Reshape{.dims = dims}, {turned(x)});
}

}  // namespace strata
