// SPDX-License-Identifier: MIT
#include "networks/onnx/operator/attention.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace strata {

namespace {

// Queries, keys and values, one row for each position, or by head.
struct Parts {
    TensorId q = 0;
    TensorId k = 0;
    TensorId v = 0;
};

void require_absent(const NodeImport& node, std::initializer_list<std::size_t> inputs,
                    const char* what) {
    for (const std::size_t i : inputs) {
        if (node.has_input(i)) {
            throw Unsupported{fmt::format("{} are not supported", what)};
        }
    }
}

TensorId columns(Composition& steps, TensorId x, std::int64_t start, std::int64_t extent) {
    return steps.add(Slice{.axes = {-1}, .starts = {start}, .extents = {extent}}, {x});
}

// The three parts that are side by side in each row.
Parts split_rows(Composition& steps, TensorId x, std::int64_t queries, std::int64_t keys,
                 std::int64_t values) {
    const std::int64_t all = steps.dims(x).back();
    unsupported_if(queries < 1 || keys < 1 || values < 1 || queries > all || keys > all ||
                       values > all || queries + keys + values != all,
                   "its queries, keys and values do not fill its rows");
    return {columns(steps, x, 0, queries), columns(steps, x, queries, keys),
            columns(steps, x, queries + keys, values)};
}

// A mask [N, T], 1 for keys that count, as numbers to add to the scores.
TensorId padding_bias(const NodeImport& node, Composition& steps, std::size_t input) {
    const Dims dims = node.input(input).dims;
    unsupported_if(dims.size() != 2, "its mask does not have two axes");
    constexpr double hidden = 10000;  // ONNX Runtime's default
    const TensorId mask = steps.cast(node.operand(input), node.input(0).dtype);
    const TensorId gap = steps.difference(mask, 1.0);
    const TensorId bias = steps.product(gap, std::abs(node.number("mask_filter_value", -hidden)));
    return steps.reshape(bias, {dims[0], 1, 1, dims[1]});
}

// The bias to add to the scores; nothing if neither input exists.
std::optional<TensorId> bias_of(const NodeImport& node, Composition& steps, std::size_t mask,
                                std::size_t bias) {
    std::optional<TensorId> sum;
    if (node.has_input(mask)) {
        sum = padding_bias(node, steps, mask);
    }
    if (node.has_input(bias)) {
        const TensorId given = node.operand(bias);
        sum = sum ? steps.sum(*sum, given) : given;
    }
    return sum;
}

void finish(const NodeImport& node, Composition& steps, const Attention& attention,
            const Parts& parts, std::optional<TensorId> bias) {
    std::vector<TensorId> operands = {parts.q, parts.k, parts.v};
    operands.insert(operands.end(), bias ? 1 : 0, bias.value_or(0));
    give_rows(node, steps, attention, std::move(operands));
}

void require_rows(const NodeImport& node, std::size_t input) {
    if (node.input(input).dims.size() != 3) {
        throw Unsupported{fmt::format("its input {} is {} where three axes are needed", input,
                                      to_text(node.input(input).dims))};
    }
}

// The keys, or the values, of earlier calls from [2, N, heads, P, D].
TensorId past_part(const NodeImport& node, Composition& steps, TensorId x, std::int64_t which) {
    if (!node.has_input(4)) {
        return x;
    }
    const Dims dims = node.input(4).dims;
    unsupported_if(dims.size() != 5, "its past does not have five axes");
    const TensorId one =
        steps.add(Slice{.axes = {0}, .starts = {which}, .extents = {1}}, {node.operand(4)});
    const TensorId past = steps.reshape(one, {dims[1], dims[2], dims[3], dims[4]});
    return steps.add(Concat{.axis = 2}, {past, x});
}

void give_joint_present(const NodeImport& node, Composition& steps, const Parts& parts) {
    if (!node.is_used(1)) {
        return;
    }
    const auto one = [&](TensorId x) {
        Dims dims = steps.dims(x);
        dims.insert(dims.begin(), 1);
        return steps.reshape(x, dims);
    };
    const TensorId k = one(parts.k);
    node.result_part(1, Concat{.axis = 0}, {k, one(parts.v)});
}

void convert_packed_attention(const NodeImport& node) {
    require_rows(node, 0);
    require_absent(node, {6}, "keys in a shared buffer");
    unsupported_if(node.integer("do_rotary", 0) != 0, "its rotation is not supported");
    Composition steps(node);
    const std::int64_t heads = node.integer("num_heads", 1);
    TensorId x = steps.add(MatMul{}, {node.operand(0), node.operand(1, Role::parameter)});
    if (node.has_input(2)) {
        x = steps.sum(x, node.operand(2, Role::parameter));
    }
    const std::int64_t third = steps.dims(x).back() / 3;
    const Dims sizes = node.integers("qkv_hidden_sizes");
    const Parts rows = sizes.size() == 3 ? split_rows(steps, x, sizes[0], sizes[1], sizes[2])
                                         : split_rows(steps, x, third, third, third);
    Parts parts;
    parts.q = by_head(steps, rows.q, heads);
    parts.k = past_part(node, steps, by_head(steps, rows.k, heads), 0);
    parts.v = past_part(node, steps, by_head(steps, rows.v, heads), 1);
    const auto bias = bias_of(node, steps, 3, 5);
    give_joint_present(node, steps, parts);
    finish(node, steps,
           {.heads = heads,
            .causal = node.integer("unidirectional", 0) != 0,
            .scale = node.number("scale", 0)},
           parts, bias);
}

// x plus its part of a bias that queries, keys and values share.
TensorId with_bias(const NodeImport& node, Composition& steps, TensorId x, std::int64_t start) {
    if (!node.has_input(3)) {
        return x;
    }
    const TensorId bias =
        columns(steps, node.operand(3, Role::parameter), start, steps.dims(x).back());
    return steps.sum(x, bias);
}

void convert_multi_head_attention(const NodeImport& node) {
    require_rows(node, 0);
    require_absent(node, {8, 9}, "keys in a shared buffer");
    unsupported_if(!node.has_input(1) || !node.has_input(2),
                   "its keys and values lie in one tensor");
    Composition steps(node);
    const std::int64_t heads = node.integer("num_heads", 1);
    const std::int64_t width = node.input(0).dims[2];
    const bool by_head_already = node.input(1).dims.size() == 4;
    const auto part = [&](std::size_t input, std::int64_t start) {
        if (input > 0 && by_head_already) {
            return node.operand(input);
        }
        require_rows(node, input);
        return by_head(steps, with_bias(node, steps, node.operand(input), start), heads);
    };
    Parts parts;
    parts.q = part(0, 0);
    parts.k = with_past(node, steps, part(1, width), 6);
    parts.v = with_past(node, steps, part(2, 2 * width), 7);
    const auto bias = bias_of(node, steps, 4, 5);
    require_scores_unread(node);
    give_present(node, parts.k, parts.v);
    finish(node, steps,
           {.heads = heads,
            .causal = node.integer("unidirectional", 0) != 0,
            .scale = node.number("scale", 0)},
           parts, bias);
}

// Cosines or sines of the rows' positions: the given ones, or those after the past.
TensorId angles_of_rows(const NodeImport& node, Composition& steps, std::size_t table,
                        std::optional<std::size_t> positions, std::int64_t first,
                        std::int64_t rows) {
    const Dims dims = node.input(table).dims;
    unsupported_if(dims.size() != 2, "its angles are not a matrix");
    if (positions && node.input(*positions).dims.size() == 2) {
        const TensorId found =
            steps.add(Gather{.axis = 0}, {node.operand(table), node.operand(*positions)});
        const Dims taken = steps.dims(found);
        return steps.reshape(found, {taken[0], taken[1], 1, taken[2]});
    }
    const TensorId cut =
        steps.add(Slice{.axes = {0}, .starts = {first}, .extents = {rows}}, {node.operand(table)});
    return steps.reshape(cut, {1, rows, 1, dims[1]});
}

void require_plain_grouped(const NodeImport& node) {
    require_absent(node, {11, 12, 13, 14, 15}, "sinks, scales and norms of keys");
    unsupported_if(node.number("softcap", 0) != 0 || node.integer("local_window_size", -1) > 0 ||
                       node.integer("smooth_softmax", 0) > 0 || node.integer("causal", 1) == 0,
                   "capped, smoothed or windowed scores are not supported");
}

// Whether the keys of earlier calls are in a buffer with room for the new ones.
bool has_shared_buffer(const NodeImport& node, std::int64_t past, std::int64_t rows) {
    return past > 0 && node.constant(6) && node.integer_of_input(6) != past + rows;
}

void convert_grouped_attention(const NodeImport& node) {
    require_rows(node, 0);
    require_plain_grouped(node);
    Composition steps(node);
    const std::int64_t heads = head_count(node, "num_heads", 1);
    const std::int64_t kv_heads = head_count(node, "kv_num_heads", heads);
    const std::int64_t rows = node.input(0).dims[1];
    const std::int64_t past = node.has_input(3) ? node.input(3).dims.at(2) : 0;
    unsupported_if(has_shared_buffer(node, past, rows),
                   "keys in a shared buffer are not supported");
    Parts all;
    if (node.has_input(1)) {
        all = {node.operand(0), node.operand(1), node.operand(2)};
    } else {
        const std::int64_t width = steps.dims(node.operand(0)).back() / (heads + 2 * kv_heads);
        all = split_rows(steps, node.operand(0), heads * width, kv_heads * width, kv_heads * width);
    }
    const auto turned = [&](TensorId x, std::int64_t count) {
        const Dims dims = steps.dims(x);
        if (node.integer("do_rotary", 0) == 0) {
            return by_head(steps, x, count);
        }
        const auto positions = node.has_input(9) ? std::optional<std::size_t>(9) : std::nullopt;
        const TensorId cosine = angles_of_rows(node, steps, 7, positions, past, rows);
        const TensorId sine = angles_of_rows(node, steps, 8, positions, past, rows);
        const TensorId split = steps.reshape(x, {dims[0], dims[1], count, dims[2] / count});
        return steps.transpose(
            rotated(steps, split, cosine, sine, node.integer("rotary_interleaved", 0) != 0),
            {0, 2, 1, 3});
    };
    Parts parts;
    parts.q = turned(all.q, heads);
    parts.k = with_past(node, steps, turned(all.k, kv_heads), 3);
    parts.v = with_past(node, steps, by_head(steps, all.v, kv_heads), 4);
    const auto bias = bias_of(node, steps, node.input_count(), 10);
    require_scores_unread(node);
    give_present(node, parts.k, parts.v);
    finish(node, steps,
           {.heads = heads,
            .kv_heads = kv_heads,
            .causal = rows > 1,
            .scale = node.number("scale", 0)},
           parts, bias);
}

// The indices come before the angles.
void convert_fused_rotary(const NodeImport& node) {
    unsupported_if(node.number("scale", 1) != 1 || node.integer("is_packed_batching", 0) != 0,
                   "its rotation is scaled or packed");
    const Dims dims = node.input(0).dims;
    const bool heads_apart = dims.size() == 4;  // [N, heads, S, D]
    Composition steps(node);
    const std::int64_t angles = 2 * node.input(2).dims.at(1);
    unsupported_if(dims.size() != 3 && !heads_apart, "its input does not have three or four axes");
    const std::int64_t stated = node.integer("num_heads", 0);
    unsupported_if(angles == 0, "it has no angles");
    const std::int64_t heads = heads_apart ? dims[1] : stated > 0 ? stated : dims[2] / angles;
    unsupported_if(heads < 1 || (!heads_apart && dims[2] % heads != 0),
                   "its input does not divide into heads");
    const std::int64_t rows = dims[heads_apart ? 2 : 1];
    const bool from_start = node.input(1).elements() == 1;
    unsupported_if(from_start && (!node.constant(1) || node.input(1).dims.size() > 1),
                   "its first position is computed");
    const std::int64_t first = from_start ? node.integer_of_input(1) : 0;
    const auto positions = from_start ? std::nullopt : std::optional<std::size_t>(1);
    const TensorId cosine = angles_of_rows(node, steps, 2, positions, first, rows);
    const TensorId sine = angles_of_rows(node, steps, 3, positions, first, rows);
    const TensorId x =
        heads_apart ? steps.transpose(node.operand(0), {0, 2, 1, 3})
                    : steps.reshape(node.operand(0), {dims[0], dims[1], heads, dims[2] / heads});
    const TensorId y = rotated(steps, x, cosine, sine, node.integer("interleaved", 0) != 0);
    if (heads_apart) {
        node.result(Transpose{.permutation = {0, 2, 1, 3}}, {y});
    } else {
        node.result(Reshape{.dims = dims}, {y});
    }
}

}  // namespace

OnnxRows fused_attention_rows() {
    static constexpr std::array rows = {
        OnnxRow("Attention", Domain::microsoft)
            .in_floating(convert_packed_attention, Outputs::several)
            .shaped(packed_attention_results),
        OnnxRow("DecoderMaskedMultiHeadAttention", Domain::microsoft)
            .shaped(multi_head_attention_results),
        OnnxRow("GroupQueryAttention", Domain::microsoft)
            .in_floating(convert_grouped_attention, Outputs::several)
            .shaped(grouped_attention_results),
        OnnxRow("MultiHeadAttention", Domain::microsoft)
            .in_floating(convert_multi_head_attention, Outputs::several)
            .shaped(multi_head_attention_results),
        OnnxRow("QAttention", Domain::microsoft).shaped(packed_attention_results),
        OnnxRow("RotaryEmbedding", Domain::microsoft)
            .in_floating(convert_fused_rotary)
            .shaped(uncounted_as_input),
    };
    return rows;
}

}  // namespace strata
