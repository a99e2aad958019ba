// SPDX-License-Identifier: MIT
#include "networks/onnx/operator/attention.h"

#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"

#include <fmt/format.h>
#include <cmath>
#include <limits>

namespace strata {

namespace {

void require_plain(const NodeImport& node) {
    unsupported_if(node.number("softcap", 0) != 0, "capped scores are not supported");
    unsupported_if(
        node.integer("left_window_size", -1) >= 0 || node.integer("right_window_size", -1) >= 0,
        "attention within a window is not supported");
    require_scores_unread(node);
    unsupported_if(node.has_input(6), "sequences of different lengths are not supported");
}

// The number of axes of queries, keys and values: 3, or 4 with one for the heads. Values cached
// from earlier calls always have 4.
std::size_t rank_of_operands(const NodeImport& node) {
    const std::size_t rank = node.input(0).dims.size();
    unsupported_if(rank != 3 && rank != 4, "its queries have neither 3 nor 4 axes");
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}, std::size_t{4}, std::size_t{5}}) {
        const std::size_t wanted = i < 3 ? rank : 4;
        if ((i < 3 || node.has_input(i)) && node.input(i).dims.size() != wanted) {
            throw Unsupported{fmt::format("its input {} is {} where {} axes are needed", i,
                                          to_text(node.input(i).dims), wanted)};
        }
    }
    return rank;
}

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

Constant causal_mask(const NodeImport& node, std::int64_t queries, std::int64_t keys) {
    unsupported_if(!is_small({queries, keys}), "its causal mask is too large");
    node.spend(queries * keys);
    std::vector<double> values;
    for (std::int64_t q = 0; q < queries; ++q) {
        for (std::int64_t k = 0; k < keys; ++k) {
            values.push_back(k <= q ? 0
                                    : static_cast<double>(std::numeric_limits<float>::lowest()));
        }
    }
    return constant_of({{queries, keys}, DataType::f32}, values);
}

// The bias added to the scores; nothing if there is no mask.
std::optional<TensorId> bias_of(const NodeImport& node, Composition& steps, bool causal_apart,
                                std::int64_t queries, std::int64_t keys) {
    std::optional<TensorId> bias;
    if (node.has_input(3)) {
        bias = as_bias(steps, node.operand(3), node.input(0).dtype);
        unsupported_if(steps.dims(*bias).empty() || steps.dims(*bias).back() != keys,
                       "its mask is shorter than the keys");
    }
    if (causal_apart) {
        const TensorId causal = steps.constant(causal_mask(node, queries, keys));
        bias = bias ? steps.sum(*bias, causal) : causal;
    }
    return bias;
}

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
    give_present(node, k, v);
    if (rank == 4) {
        return node.result(attention, std::move(operands));
    }
    give_rows(node, steps, attention, std::move(operands));
}

// Cosines or sines for each position, with an axis inserted for the heads.
TensorId angles(const NodeImport& node, Composition& steps, std::size_t input) {
    TensorId table = node.operand(input);
    if (node.has_input(3)) {
        table = steps.add(Gather{.axis = 0}, {table, node.operand(3)});
    }
    const Dims dims = steps.dims(table);
    unsupported_if(dims.size() != 3, "its angles do not have three axes");
    return steps.reshape(table, {dims[0], dims[1], 1, dims[2]});
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
        return node.result(Transpose{.permutation = {0, 2, 1, 3}}, {turned(x)});
    }
    const std::int64_t heads = node.integer("num_heads", 1);
    if (dims.size() != 3 || heads < 1 || dims[2] % heads != 0) {
        throw Unsupported{
            fmt::format("its input {} does not divide into {} heads", to_text(dims), heads)};
    }
    const TensorId x = steps.reshape(node.operand(0), {dims[0], dims[1], heads, dims[2] / heads});
    node.result(Reshape{.dims = dims}, {turned(x)});
}

// The extents of an attention, whatever the layout of its operands.
struct EmittedAttention {
    std::int64_t images = 0;
    std::int64_t heads = 0;
    std::int64_t kv_heads = 0;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t size = 0;    // of a head of q and k
    std::int64_t values = 0;  // of a head of v
};

EmittedAttention extents_of(const Attention& op, const LayerWriter& to) {
    const Dims& q = to.input(0).dims;
    const Dims& k = to.input(1).dims;
    const Dims& v = to.input(2).dims;
    if (q.size() == 4) {
        return {q[0], q[1], k[1], q[2], k[2], q[3], v[3]};
    }
    const std::int64_t kv_heads = op.kv_heads == 0 ? op.heads : op.kv_heads;
    return {q[0], op.heads, kv_heads, q[1], k[1], q[2] / op.heads, v[2] / kv_heads};
}

// [N, S, heads * D] as [N, heads, S, D].
std::string written_by_head(LayerWriter& to, std::size_t i, std::int64_t heads, std::int64_t size) {
    if (to.input(i).dims.size() == 4) {
        return to.in(i);
    }
    const Dims& dims = to.input(i).dims;
    const std::string split =
        to.step("Reshape", {to.in(i), to.integers({dims[0], dims[1], heads, size})});
    return to.step("Transpose", {split}, {{"perm", Dims{0, 2, 1, 3}}});
}

// Repeats each head of keys or values for every query head that shares it.
std::string shared(LayerWriter& to, const std::string& x, const EmittedAttention& all,
                   std::int64_t size) {
    const std::int64_t group = all.heads / all.kv_heads;
    if (group == 1) {
        return x;
    }
    const std::string apart = to.step("Unsqueeze", {x, to.integers({2})});
    const std::string copies =
        to.step("Expand", {apart, to.integers({all.images, all.kv_heads, group, all.keys, size})});
    return to.step("Reshape", {copies, to.integers({all.images, all.heads, all.keys, size})});
}

// 0 for keys that a query may see, the lowest number for the others: query q sees key k if k <= q +
// keys - queries.
std::string causal_bias(LayerWriter& to, const EmittedAttention& all) {
    const std::string lowest = to.filled({all.queries, all.keys},
                                         static_cast<double>(std::numeric_limits<float>::lowest()));
    const std::string diagonal = to.step("Squeeze", {to.integers({all.keys - all.queries + 1})});
    return to.step("Trilu", {lowest, diagonal}, {{"upper", std::int64_t{1}}});
}

// softmax(q k^T * scale + mask) v.
void write_attention(const Attention& op, LayerWriter& to) {
    const EmittedAttention all = extents_of(op, to);
    const DataType dtype = to.input(0).dtype;
    const std::string q = written_by_head(to, 0, all.heads, all.size);
    const std::string k = shared(to, written_by_head(to, 1, all.kv_heads, all.size), all, all.size);
    const std::string v =
        shared(to, written_by_head(to, 2, all.kv_heads, all.values), all, all.values);
    const std::string turned = to.step("Transpose", {k}, {{"perm", Dims{0, 1, 3, 2}}});
    const double scale = op.scale == 0 ? 1 / std::sqrt(static_cast<double>(all.size)) : op.scale;
    std::string scores = to.step("Mul", {to.step("MatMul", {q, turned}), to.number(scale, dtype)});
    if (to.input_count() > 3) {
        scores = to.step("Add", {scores, to.in(3)});
    }
    if (op.causal) {
        scores = to.step("Add", {scores, causal_bias(to, all)});
    }
    const std::string shares = to.step("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
    if (to.input(0).dims.size() == 4) {
        return to.last("MatMul", {shares, v});
    }
    const std::string y = to.step("MatMul", {shares, v});
    const std::string rows = to.step("Transpose", {y}, {{"perm", Dims{0, 2, 1, 3}}});
    to.last("Reshape", {rows, to.integers({all.images, all.queries, all.heads * all.values})});
}

}  // namespace

OnnxRows attention_rows() {
    static constexpr std::array rows = {
        OnnxRow("Attention")
            .in_floating(convert_attention, Outputs::several)
            .shaped(attention_results)
            .out<write_attention>(),
        OnnxRow("LinearAttention", Domain::both).shaped(linear_attention_results),
        OnnxRow("RotaryEmbedding").in_floating(convert_rotary_embedding).shaped(uncounted_as_input),
    };
    return rows;
}

}  // namespace strata
