// SPDX-License-Identifier: MIT
#include "op/attention.h"

#include "op/rules.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace strata {

namespace {

// Extents of one operand in either layout.
struct HeadShape {
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t positions = 0;
    std::int64_t width = 0;
};

HeadShape head_shape(const Tensor& tensor, std::int64_t heads) {
    const Dims& dims = tensor.dims;
    if (dims.size() == 4) {
        return {dims[0], dims[1], dims[2], dims[3]};
    }
    if (dims.size() != 3) {
        refuse(Attention::type, fmt::format("operand {} is neither [batch, positions, features] "
                                            "nor [batch, heads, positions, features]",
                                            to_text(dims)));
    }
    require_positive(Attention::type, "heads", heads);
    if (dims[2] % heads != 0) {
        refuse(Attention::type, fmt::format("{} heads must divide the {} features of {}", heads,
                                            dims[2], to_text(dims)));
    }
    return {dims[0], heads, dims[1], dims[2] / heads};
}

std::array<HeadShape, 3> shapes_of(const Attention& op, const Tensor& q, const Tensor& k,
                                   const Tensor& v) {
    const std::int64_t shared = op.kv_heads == 0 ? op.heads : op.kv_heads;
    return {head_shape(q, op.heads), head_shape(k, shared), head_shape(v, shared)};
}

void require_fit(const std::array<HeadShape, 3>& shapes, std::span<const Tensor> inputs) {
    const auto& [q, k, v] = shapes;
    const bool fit = q.batch == k.batch && k.batch == v.batch && q.width == k.width &&
                     k.positions == v.positions && k.heads == v.heads && k.heads > 0 &&
                     q.heads % k.heads == 0 && inputs[0].dims.size() == inputs[1].dims.size() &&
                     inputs[1].dims.size() == inputs[2].dims.size();
    if (!fit) {
        refuse(Attention::type, fmt::format("queries {}, keys {} and values {} do not match",
                                            to_text(inputs[0].dims), to_text(inputs[1].dims),
                                            to_text(inputs[2].dims)));
    }
}

void require_mask(const std::array<HeadShape, 3>& shapes, const Tensor& mask) {
    const auto& [q, k, v] = shapes;
    const Dims scores = {q.batch, q.heads, q.positions, k.positions};
    if (broadcast(Attention::type, std::array{scores, mask.dims}) != scores) {
        refuse(Attention::type, fmt::format("mask {} does not fit the scores {}",
                                            to_text(mask.dims), to_text(scores)));
    }
}

}  // namespace

std::vector<ParameterShape> Attention::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Attention::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 3, 4);
    const auto shapes = shapes_of(*this, inputs[0], inputs[1], inputs[2]);
    require_fit(shapes, inputs);
    if (inputs.size() == 4) {
        require_mask(shapes, inputs[3]);
    }
    const auto& [q, k, v] = shapes;
    const bool packed = inputs[0].dims.size() == 3;
    return {shaped(type,
                   packed ? Dims{q.batch, q.positions, q.heads * v.width}
                          : Dims{q.batch, q.heads, q.positions, v.width},
                   inputs[0].dtype)};
}

// Two products forward, four backward (dv, dp, dq, dk); every score is scaled and goes through a
// softmax. Nominal: scores hidden by causality or a mask count too, like a convolution's padding.
Operations Attention::operations(const Signature& signature, Pass pass) const {
    const AttentionExtents e = extents_of(*this, signature);
    const double scores = static_cast<double>(e.batch * e.heads) * static_cast<double>(e.queries) *
                          static_cast<double>(e.keys);
    const double products = scores * static_cast<double>(e.width + e.value_width);
    Operations forward = times(scores, {.adds = signature.inputs.size() == 4 ? 3.0 : 2.0,
                                        .multiplies = 1,
                                        .divides = 1,
                                        .compares = 1,
                                        .transcendentals = 1});
    forward.multiply_adds = products;
    Operations backward = times(scores, {.multiply_adds = 1, .adds = 1, .multiplies = 2});
    backward.multiply_adds += 2 * products;
    return pick({.forward = forward, .backward_data = backward}, signature, pass);
}

// The scores are recomputed from the forward operands.
BackwardReads Attention::reads() const {
    return {.input_for_data = true};
}

Bytes Attention::saved_bytes(const Signature& signature) const {
    const AttentionExtents e = extents_of(*this, signature);
    return {4.0 * static_cast<double>(e.batch * e.heads) * static_cast<double>(e.queries)};
}

AttentionExtents extents_of(const Attention& op, const Signature& signature) {
    const Tensor& first = signature.inputs[0].tensor;
    const auto [q, k, v] =
        shapes_of(op, first, signature.inputs[1].tensor, signature.inputs[2].tensor);
    return {.batch = q.batch,
            .heads = q.heads,
            .kv_heads = k.heads,
            .queries = q.positions,
            .keys = k.positions,
            .width = q.width,
            .value_width = v.width,
            .scale = op.scale == 0 ? 1 / std::sqrt(static_cast<double>(q.width)) : op.scale,
            .packed = first.dims.size() == 3};
}

namespace {

// A value's rounding is weighted by its probability, one over the number of keys on average. If
// scores are large, a probability errs by as much as its score: one sixteenth unit of this count
// for each score.
double probability_of(const AttentionExtents& e, const OperandValues& values) {
    const auto keys = static_cast<double>(e.keys);
    const double score =
        e.scale * values.rms(0) * values.rms(1) * std::sqrt(static_cast<double>(e.width));
    return 1 / keys + score / 16 / std::sqrt(keys);
}

}  // namespace

// The values' mean, weighted by the probabilities.
SumShape Attention::forward_sum(const OperandValues& values) const {
    const AttentionExtents e = extents_of(*this, values.signature);
    return {static_cast<double>(e.keys), values.rms(2) * probability_of(e, values)};
}

// A value's gradient sums over all queries, a query's over all keys and a key's over all queries;
// each term is weighted by a probability, one over the number of keys on average.
SumShape Attention::gradient_sum(const OperandValues& values, std::size_t operand) const {
    const AttentionExtents e = extents_of(*this, values.signature);
    const double probability = probability_of(e, values);
    const auto terms =
        static_cast<double>(operand == 0 ? e.keys : e.queries * (e.heads / e.kv_heads));
    if (operand == 2) {
        return {terms, values.rms_gradient() * probability};
    }
    const double of_score = values.rms_gradient() * values.rms(2) *
                            std::sqrt(static_cast<double>(e.value_width)) * probability;
    // The mean that a softmax's gradient subtracts has the same error for all keys, so it does not
    // average out.
    const double alike = 1 + std::sqrt(static_cast<double>(e.keys)) / 8;
    return {terms, operand == 3 ? of_score : of_score * alike * e.scale * values.rms(1 - operand)};
}

}  // namespace strata
