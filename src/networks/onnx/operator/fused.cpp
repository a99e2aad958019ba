// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/text.h"
#include "networks/onnx/node/composition.h"
#include "networks/onnx/operator/families.h"

#include <fmt/format.h>

namespace strata {

namespace {

// The activation at the end of a fused operator; nothing if it names none.
std::optional<Activation> activation_of(const NodeImport& node) {
    struct Named {
        std::string_view name;
        ActivationKind kind;
        double alpha = 0;
        double beta = 0;
    };
    constexpr std::array known = {Named{"Relu", ActivationKind::relu},
                                  Named{"Sigmoid", ActivationKind::sigmoid},
                                  Named{"Tanh", ActivationKind::tanh},
                                  Named{"LeakyRelu", ActivationKind::leaky_relu, 0.01},
                                  Named{"Clip", ActivationKind::clip},
                                  Named{"HardSigmoid", ActivationKind::hard_sigmoid, 0.2, 0.5},
                                  Named{"HardSwish", ActivationKind::hard_swish},
                                  Named{"Elu", ActivationKind::elu, 1}};
    const std::string_view name = node.text("activation", "");
    const auto found = std::ranges::find(known, name, &Named::name);
    if (name.empty()) {
        return std::nullopt;
    }
    if (found == known.end()) {
        throw Unsupported{fmt::format("its activation '{}' is not supported", printable(name))};
    }
    const std::vector<double> given = node.numbers("activation_params");
    return Activation{
        .kind = found->kind,
        .alpha = given.empty() ? node.number("activation_alpha", found->alpha) : given[0],
        .beta = given.size() < 2 ? node.number("activation_beta", found->beta) : given[1]};
}

void finish_with(const NodeImport& node, TensorId x, const std::optional<Activation>& activation) {
    if (activation) {
        node.result(*activation, {x});
    } else {
        node.result(Identity{}, {x});
    }
}

// The result of an ONNX operator on the first inputs.
TensorId part_by(const NodeImport& node, std::string_view suffix, std::string_view op_type,
                 std::size_t count) {
    const auto& all = node.node().inputs;
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size()));
    return node.part(suffix, find_row({}, op_type)->convert, {all.begin(), end});
}

// A convolution, plus a tensor, then an activation.
void convert_fused_convolution(const NodeImport& node) {
    Composition steps(node);
    const auto activation = activation_of(node);
    TensorId y = part_by(node, "convolution", "Conv", 3);
    if (node.has_input(3)) {
        y = steps.sum(y, node.operand(3));
    }
    finish_with(node, y, activation);
}

void convert_fused_gemm(const NodeImport& node) {
    const auto activation = activation_of(node);
    finish_with(node, part_by(node, "product", "Gemm", 3), activation);
}

// gelu(A B + bias).
void convert_gemm_gelu(const NodeImport& node) {
    Composition steps(node);
    TensorId y = part_by(node, "product", "MatMul", 2);
    if (node.has_input(2)) {
        y = steps.sum(y, node.operand(2, Role::parameter));
    }
    node.result(Activation{.kind = ActivationKind::gelu_tanh}, {y});
}

// alpha A' B'.
void convert_fused_matmul(const NodeImport& node) {
    unsupported_if(node.integer("transBatchA", 0) != 0 || node.integer("transBatchB", 0) != 0,
                   "its batches are transposed");
    const double alpha = node.number("alpha", 1);
    const MatMul product{.transpose_a = node.integer("transA", 0) != 0,
                         .transpose_b = node.integer("transB", 0) != 0};
    unsupported_if(node.input(0).dims.size() < 2 || node.input(1).dims.size() < 2,
                   "its inputs are not matrices");
    std::vector<TensorId> operands = {node.operand(0), node.operand(1)};
    if (alpha == 1.0) {
        return node.result(product, std::move(operands));
    }
    const TensorId factor = node.scalar("alpha", alpha, node.input(0).dtype);
    const TensorId y = node.add("product", product, std::move(operands));
    node.result(Elementwise{ElementwiseKind::multiply}, {y, factor});
}

// x normalised over its last axis, with a scale and, unless only the root mean square is used, a
// shift.
void give_normalized(const NodeImport& node, TensorId x, std::size_t scale,
                     std::optional<std::size_t> shift) {
    LayerNormalization normalization{
        .axis = std::ssize(node.tensor(x).dims) - 1,
        .epsilon = node.number("epsilon", 1e-12),
        .kind = shift ? NormalizationKind::standard : NormalizationKind::root_mean_square,
        .shift = shift && node.has_input(*shift)};
    std::vector<TensorId> operands = {x, node.operand(scale, Role::parameter)};
    if (normalization.shift) {
        operands.push_back(node.operand(*shift, Role::parameter));
    }
    node.result(normalization, std::move(operands));
}

void refuse_used(const NodeImport& node, std::size_t output, const char* what) {
    if (node.is_used(output)) {
        throw Unsupported{fmt::format("{} are read", what)};
    }
}

// For input + skip + bias, which is the fourth result.
void convert_skip_normalization(const NodeImport& node) {
    refuse_used(node, 1, "its means");
    refuse_used(node, 2, "its deviations");
    const bool by_mean = node.node().op_type == "SkipLayerNormalization";
    const std::size_t bias = by_mean ? 4 : 3;
    Composition steps(node);
    TensorId x = steps.sum(node.operand(0), node.operand(1));
    if (node.has_input(bias)) {
        x = steps.sum(x, node.operand(bias, Role::parameter));
    }
    if (node.is_used(3)) {
        node.give(3, x);
    }
    give_normalized(node, x, 2, by_mean ? std::optional<std::size_t>(3) : std::nullopt);
}

// The rows of words, positions and segments, added and normalised.
void convert_embed_normalization(const NodeImport& node) {
    refuse_used(node, 1, "its lengths");
    const Dims ids = node.input(0).dims;
    unsupported_if(ids.size() != 2 || node.input(3).dims.size() != 2,
                   "its indices do not have two axes");
    Composition steps(node);
    const auto rows = [&](std::size_t table, std::size_t indices) {
        const Dims& dims = node.input(table).dims;
        return steps.add(Embedding{.rows = dims.at(0), .width = dims.at(1)},
                         {node.operand(indices), node.operand(table, Role::parameter)});
    };
    const TensorId words = rows(2, 0);
    TensorId positions = 0;
    if (node.has_input(8)) {
        positions = rows(3, 8);
    } else {  // the first rows
        const TensorId first = steps.add(Slice{.axes = {0}, .starts = {0}, .extents = {ids[1]}},
                                         {node.operand(3, Role::parameter)});
        positions = steps.reshape(first, {1, ids[1], node.input(3).dims[1]});
    }
    TensorId x = steps.sum(words, positions);
    if (node.has_input(1) && node.has_input(4)) {
        x = steps.sum(x, rows(4, 1));
    }
    if (node.is_used(2)) {
        node.give(2, x);
    }
    give_normalized(node, x, 5, 6);
}

}  // namespace

OnnxRows fused_rows() {
    static constexpr std::array rows = {
        OnnxRow("EmbedLayerNormalization", Domain::microsoft)
            .in(convert_embed_normalization, Elements::any, Outputs::several),
        OnnxRow("FusedConv", Domain::microsoft)
            .in_floating(convert_fused_convolution)
            .shaped({"Conv", {0, 1, 2}}),
        OnnxRow("FusedGemm", Domain::microsoft).in_floating(convert_fused_gemm),
        OnnxRow("FusedMatMul", Domain::microsoft).in_floating(convert_fused_matmul),
        OnnxRow("GemmFastGelu", Domain::microsoft).in_floating(convert_gemm_gelu),
        OnnxRow("SkipLayerNormalization", Domain::microsoft)
            .in_floating(convert_skip_normalization, Outputs::several),
        OnnxRow("SkipSimplifiedLayerNormalization", Domain::microsoft)
            .in_floating(convert_skip_normalization, Outputs::several),
        OnnxRow("TransposeMatMul", Domain::microsoft).in_floating(convert_fused_matmul),
    };
    return rows;
}

}  // namespace strata
