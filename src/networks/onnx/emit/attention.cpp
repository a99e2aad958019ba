// SPDX-License-Identifier: MIT
#include "networks/onnx/emit/emitters.h"

#include <cmath>
#include <limits>

namespace strata {

namespace {

// Extents of an attention, independent of its operands' layout.
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
std::string by_head(LayerWriter& to, std::size_t i, std::int64_t heads, std::int64_t size) {
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

}  // namespace

// softmax(q k^T * scale + mask) v.
void emit(const Attention& op, LayerWriter& to) {
    const EmittedAttention all = extents_of(op, to);
    const DataType dtype = to.input(0).dtype;
    const std::string q = by_head(to, 0, all.heads, all.size);
    const std::string k = shared(to, by_head(to, 1, all.kv_heads, all.size), all, all.size);
    const std::string v = shared(to, by_head(to, 2, all.kv_heads, all.values), all, all.values);
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
        to.last("MatMul", {shares, v});
        return;
    }
    const std::string y = to.step("MatMul", {shares, v});
    const std::string rows = to.step("Transpose", {y}, {{"perm", Dims{0, 2, 1, 3}}});
    to.last("Reshape", {rows, to.integers({all.images, all.queries, all.heads * all.values})});
}

}  // namespace strata
