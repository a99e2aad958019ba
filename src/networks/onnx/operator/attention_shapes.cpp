// SPDX-License-Identifier: MIT
#include "networks/onnx/operator/attention.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"

#include <fmt/format.h>

namespace strata {

namespace {

std::int64_t divided(std::int64_t features, std::int64_t heads) {
    if (heads < 1 || features % heads != 0) {
        throw Unsupported{fmt::format("{} features do not divide into {} heads", features, heads)};
    }
    return features / heads;
}

// The operands of an attention, head by head.
struct Heads {
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t kv_heads = 0;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t width = 0;
    std::int64_t value_width = 0;
    bool causal = false;
    DataType dtype = DataType::f32;
};

// The work as our operator counts it.
Operations work_of(const Heads& of) {
    const Attention attention{.heads = of.heads, .kv_heads = of.kv_heads, .causal = of.causal};
    const std::vector<Tensor> operands = {{{of.batch, of.heads, of.queries, of.width}},
                                          {{of.batch, of.kv_heads, of.keys, of.width}},
                                          {{of.batch, of.kv_heads, of.keys, of.value_width}}};
    Signature signature{.inputs = {}, .outputs = attention.outputs(operands)};
    for (const Tensor& operand : operands) {
        signature.inputs.push_back({operand});
    }
    return attention.operations(signature, Pass::forward);
}

// The result, the keys and values including those of earlier calls, and the scores.
KnownResults results_of(const Heads& of, bool by_head, std::vector<std::size_t> weights = {}) {
    const Dims y = by_head ? Dims{of.batch, of.heads, of.queries, of.value_width}
                           : Dims{of.batch, of.queries, of.heads * of.value_width};
    const auto tensor = [&](Dims dims) { return Tensor{std::move(dims), of.dtype}; };
    return {.outputs = {tensor(y), tensor({of.batch, of.kv_heads, of.keys, of.width}),
                        tensor({of.batch, of.kv_heads, of.keys, of.value_width}),
                        tensor({of.batch, of.heads, of.queries, of.keys})},
            .work = work_of(of),
            .weights = std::move(weights)};
}

// The number of keys of earlier calls; 0 without an input for them.
std::int64_t past_length(const NodeImport& node, std::size_t input) {
    if (!node.has_input(input)) {
        return 0;
    }
    require_rank(node, input, 4);
    return node.input(input).dims[2];
}

}  // namespace

KnownResults attention_results(const NodeImport& node) {
    const Dims q = node.input(0).dims;
    const Dims k = node.input(1).dims;
    const Dims v = node.input(2).dims;
    const bool by_head = q.size() == 4;
    require_rank(node, 0, by_head ? 4 : 3);
    require_rank(node, 1, q.size());
    require_rank(node, 2, q.size());
    const std::int64_t heads = head_count(node, "q_num_heads", by_head ? q[1] : 1);
    const std::int64_t kv_heads = head_count(node, "kv_num_heads", by_head ? k[1] : heads);
    const std::size_t row = by_head ? 2 : 1;
    return results_of({.batch = q[0],
                       .heads = heads,
                       .kv_heads = kv_heads,
                       .queries = q[row],
                       .keys = k[row] + past_length(node, 4),
                       .width = by_head ? q[3] : divided(q[2], heads),
                       .value_width = by_head ? v[3] : divided(v[2], kv_heads),
                       .causal = node.integer("is_causal", 0) != 0,
                       .dtype = node.input(0).dtype},
                      by_head);
}

// Queries are [N, S, heads * D], or [N, S, heads, 3, D] with keys and values; keys and values are
// [N, L, heads * D], [N, heads, L, D], or [N, L, heads, 2, D] together.
KnownResults multi_head_attention_results(const NodeImport& node) {
    const Dims q = node.input(0).dims;
    const bool packed = q.size() == 5;
    const bool step_by_step = node.node().op_type.starts_with("Decoder");
    const std::int64_t heads = head_count(node, "num_heads", 1);
    require_rank(node, 0, packed ? 5 : 3);
    const std::int64_t width = packed ? q[4] : divided(q[2], heads);
    Heads of{.batch = q[0],
             .heads = heads,
             .kv_heads = heads,
             .queries = q[1],
             .keys = q[1],
             .width = width,
             .value_width = width,
             .causal = node.integer("unidirectional", 0) != 0,
             .dtype = node.input(0).dtype};
    if (!packed && node.has_input(1)) {
        const Dims k = node.input(1).dims;
        of.keys = k.size() == 4 ? k[2] : k.at(1);
    }
    if (!packed && node.has_input(2)) {
        const Dims v = node.input(2).dims;
        of.value_width = v.size() == 4 ? v[3] : divided(v.at(2), heads);
    }
    of.keys += past_length(node, step_by_step ? 5 : 6);
    return results_of(of, false, {step_by_step ? std::size_t{10} : 3});
}

KnownResults grouped_attention_results(const NodeImport& node) {
    require_rank(node, 0, 3);
    const Dims q = node.input(0).dims;
    const std::int64_t heads = head_count(node, "num_heads", 1);
    const std::int64_t kv_heads = head_count(node, "kv_num_heads", heads);
    const bool packed = !node.has_input(1);
    const std::int64_t width = divided(q[2], packed ? heads + 2 * kv_heads : heads);
    const std::int64_t past = past_length(node, 3);
    std::int64_t keys = past + q[1];
    if (node.constant(6) && past > 0) {  // a buffer with room for all of them
        keys = std::max(past, node.integer_of_input(6));
    }
    return results_of({.batch = q[0],
                       .heads = heads,
                       .kv_heads = kv_heads,
                       .queries = q[1],
                       .keys = keys,
                       .width = width,
                       .value_width = width,
                       .causal = keys == q[1],
                       .dtype = node.input(0).dtype},
                      false);
}

// The product with the weights of queries, keys and values, followed by the attention.
KnownResults packed_attention_results(const NodeImport& node) {
    require_rank(node, 0, 3);
    require_rank(node, 1, 2);
    const Tensor x = node.input(0);
    const std::int64_t heads = head_count(node, "num_heads", 1);
    const std::int64_t features = node.input(1).dims[1];
    const Dims sizes = node.integers("qkv_hidden_sizes");
    const std::int64_t width = divided(sizes.size() == 3 ? sizes[0] : features / 3, heads);
    const std::int64_t value_width = divided(sizes.size() == 3 ? sizes[2] : features / 3, heads);
    const bool is_quantized = node.node().op_type == "QAttention";
    const std::size_t past_input = is_quantized ? 8 : 4;
    const std::int64_t past = node.has_input(past_input) ? node.input(past_input).dims.at(3) : 0;
    const DataType dtype = is_quantized ? node.input(3).dtype : x.dtype;
    const Heads of{.batch = x.dims[0],
                   .heads = heads,
                   .kv_heads = heads,
                   .queries = x.dims[1],
                   .keys = x.dims[1] + past,
                   .width = width,
                   .value_width = value_width,
                   .causal = node.integer("unidirectional", 0) != 0,
                   .dtype = dtype};
    KnownResults results = results_of(of, false, {1, 2});
    results.outputs[1] = Tensor{{2, of.batch, heads, of.keys, width}, dtype};
    results.outputs.resize(2);
    results.work->multiply_adds += as_number(x.elements()) * as_number(features);
    return results;
}

// A state of width times value width for each head; the runtime decides how to compute it.
KnownResults linear_attention_results(const NodeImport& node) {
    require_rank(node, 0, 3);
    require_rank(node, 1, 3);
    require_rank(node, 2, 3);
    const Tensor q = node.input(0);
    const std::int64_t heads = head_count(node, "q_num_heads", 1);
    const std::int64_t kv_heads = head_count(node, "kv_num_heads", 1);
    const std::int64_t width = divided(node.input(1).dims[2], kv_heads);
    const std::int64_t value_width = divided(node.input(2).dims[2], kv_heads);
    return {.outputs = {Tensor{{q.dims[0], q.dims[1], heads * value_width}, q.dtype},
                        Tensor{{q.dims[0], kv_heads, width, value_width}, q.dtype}}};
}

}  // namespace strata
