// SPDX-License-Identifier: MIT
#include "networks/onnx/shape_rules.h"

#include "base/error.h"
#include "networks/onnx/convert/converters.h"
#include "networks/onnx/order.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace strata {

namespace {

enum class Domain { standard, microsoft, both };

// What is known about an operator that has no converter, or whose converter refuses a case.
struct ShapeRow {
    std::string_view op_type;
    Domain domain = Domain::standard;
    ShapeRule rule = nullptr;  // or:
    Likeness like = {};
};

constexpr auto standard = Domain::standard;
constexpr auto microsoft = Domain::microsoft;
constexpr auto both = Domain::both;

// THE list. What is missing has extents that depend on values (NonZero, NonMaxSuppression, Unique),
// results that are no tensors of numbers (sequences, strings), or bodies (If, Loop, Scan).
// clang-format off
constexpr std::array shape_rows = {
    ShapeRow{"Attention", standard, attention_results},
    ShapeRow{"Attention", microsoft, packed_attention_results},
    ShapeRow{"Bernoulli", standard, random_as_input},
    ShapeRow{"BiasDropout", microsoft, as_input},
    ShapeRow{"BiasSoftmax", microsoft, nullptr, {"Softmax", {0}}},
    ShapeRow{"BitCast", standard, as_input_of_type_to},
    ShapeRow{"BitShift", standard, broadcast_results},
    ShapeRow{"BitwiseAnd", standard, broadcast_results},
    ShapeRow{"BitwiseNot", standard, as_input},
    ShapeRow{"BitwiseOr", standard, broadcast_results},
    ShapeRow{"BitwiseXor", standard, broadcast_results},
    ShapeRow{"BlackmanWindow", standard, window_function},
    ShapeRow{"Cast", standard, as_input_of_type_to},
    ShapeRow{"CausalConvWithState", both, causal_convolution_results},
    ShapeRow{"CenterCropPad", standard, padded_or_cropped},
    ShapeRow{"Col2Im", standard, columns_to_image},
    ShapeRow{"ConvInteger", standard, nullptr, {"Conv", {0, 1}, -1, DataType::s32}},
    ShapeRow{"CropAndResize", microsoft, regions_of_interest},
    ShapeRow{"CumProd", standard, as_input},
    ShapeRow{"CumSum", standard, as_input},
    ShapeRow{"DFT", standard, transform},
    ShapeRow{"DecoderMaskedMultiHeadAttention", microsoft, multi_head_attention_results},
    ShapeRow{"DeformConv", standard, nullptr, {"Conv", {0, 1, 3}}},
    ShapeRow{"DequantizeLinear", both, dequantized},
    ShapeRow{"Det", standard, determinant},
    ShapeRow{"Dropout", standard, nullptr, {"Identity", {0}, 0, {}, DataType::boolean}},
    ShapeRow{"DynamicQuantizeLSTM", microsoft, recurrent_results},
    ShapeRow{"DynamicQuantizeLinear", both, dynamically_quantized},
    ShapeRow{"DynamicQuantizeMatMul", microsoft, nullptr, {"MatMul", {0, 1}}},
    ShapeRow{"FusedConv", microsoft, nullptr, {"Conv", {0, 1, 2}}},
    ShapeRow{"GRU", standard, recurrent_results},
    ShapeRow{"GatherBlockQuantized", microsoft, gathered_from_packed},
    ShapeRow{"GatherElements", standard, as_second_input},
    ShapeRow{"GatherND", both, gathered_by_tuples},
    ShapeRow{"GridSample", both, sampled_on_grid},
    ShapeRow{"GroupNorm", microsoft, uncounted_as_input},
    ShapeRow{"GroupQueryAttention", microsoft, grouped_attention_results},
    ShapeRow{"HammingWindow", standard, window_function},
    ShapeRow{"HannWindow", standard, window_function},
    ShapeRow{"Inverse", microsoft, uncounted_as_input},
    ShapeRow{"LSTM", standard, recurrent_results},
    ShapeRow{"LayerNormalization", standard, layer_normalization_results},
    ShapeRow{"LinearAttention", both, linear_attention_results},
    ShapeRow{"MatMulBnb4", microsoft, product_with_packed},
    ShapeRow{"MatMulInteger", standard, nullptr, {"MatMul", {0, 1}, -1, DataType::s32}},
    ShapeRow{"MatMulInteger16", microsoft, nullptr, {"MatMul", {0, 1}, -1, DataType::s32}},
    ShapeRow{"MatMulIntegerToFloat", microsoft, nullptr, {"MatMul", {0, 1}, 2}},
    ShapeRow{"MatMulNBits", microsoft, product_with_packed},
    ShapeRow{"MaxPool", standard, nullptr, {"MaxPool", {0}, 0, {}, DataType::s64}},
    ShapeRow{"MaxRoiPool", standard, regions_of_interest},
    ShapeRow{"MaxUnpool", standard, unpooled},
    ShapeRow{"MelWeightMatrix", standard, mel_weights},
    ShapeRow{"MoE", microsoft, mixture_of_experts},
    ShapeRow{"MulInteger", microsoft, nullptr, {"Mul", {0, 2}, -1, DataType::s32}},
    ShapeRow{"MultiHeadAttention", microsoft, multi_head_attention_results},
    ShapeRow{"Multinomial", standard, drawn_classes},
    ShapeRow{"NegativeLogLikelihoodLoss", standard, loss},
    ShapeRow{"NhwcConv", microsoft, nullptr, {"Conv", {0, 1, 2}, 0}},
    ShapeRow{"NhwcFusedConv", microsoft, nullptr, {"Conv", {0, 1, 2}, 0}},
    ShapeRow{"NhwcMaxPool", microsoft, nullptr, {"MaxPool", {0}, 0}},
    ShapeRow{"OneHot", standard, one_hot_results},
    ShapeRow{"OptionalHasElement", standard, truth},
    ShapeRow{"QAttention", microsoft, packed_attention_results},
    ShapeRow{"QGemm", microsoft, nullptr, {"Gemm", {0, 3, 6}, 8}},
    ShapeRow{"QLinearAdd", microsoft, nullptr, {"Add", {0, 3}, 0}},
    ShapeRow{"QLinearAveragePool", microsoft, nullptr, {"AveragePool", {0}, 0}},
    ShapeRow{"QLinearConcat", microsoft, quantized_concat},
    ShapeRow{"QLinearConv", both, nullptr, {"Conv", {0, 3, 8}, 7}},
    ShapeRow{"QLinearGlobalAveragePool", microsoft, nullptr, {"GlobalAveragePool", {0}, 0}},
    ShapeRow{"QLinearLeakyRelu", microsoft, nullptr, {"LeakyRelu", {0}, 0}},
    ShapeRow{"QLinearMatMul", both, nullptr, {"MatMul", {0, 3}, 7}},
    ShapeRow{"QLinearMul", microsoft, nullptr, {"Mul", {0, 3}, 0}},
    ShapeRow{"QLinearReduceMean", microsoft, nullptr, {"ReduceMean", {0}, 0}},
    ShapeRow{"QLinearSigmoid", microsoft, nullptr, {"Sigmoid", {0}, 0}},
    ShapeRow{"QLinearSoftmax", microsoft, nullptr, {"Softmax", {0}, 0}},
    ShapeRow{"QLinearWhere", microsoft, nullptr, {"Where", {0, 1, 4}, 1}},
    ShapeRow{"QMoE", microsoft, mixture_of_experts},
    ShapeRow{"QuantizeLinear", both, quantized},
    ShapeRow{"RNN", standard, recurrent_results},
    ShapeRow{"RandomNormal", standard, random_of_shape},
    ShapeRow{"RandomNormalLike", standard, random_as_input},
    ShapeRow{"RandomUniform", standard, random_of_shape},
    ShapeRow{"RandomUniformLike", standard, random_as_input},
    ShapeRow{"Resize", standard, resized},
    ShapeRow{"RoiAlign", standard, regions_of_interest},
    ShapeRow{"RotaryEmbedding", both, uncounted_as_input},
    ShapeRow{"STFT", standard, short_time_transform},
    ShapeRow{"Scatter", standard, moved_as_input},
    ShapeRow{"ScatterElements", standard, moved_as_input},
    ShapeRow{"ScatterND", standard, moved_as_input},
    ShapeRow{"SkipGroupNorm", microsoft, uncounted_as_input},
    ShapeRow{"SoftmaxCrossEntropyLoss", standard, loss},
    ShapeRow{"TensorScatter", standard, moved_as_input},
    ShapeRow{"TfIdfVectorizer", standard, weighted_terms},
    ShapeRow{"Upsample", standard, resized},
};
// clang-format on

const ShapeRow* find_row(const OnnxNode& node) {
    const Domain domain = node.domain == microsoft_domain ? Domain::microsoft : Domain::standard;
    const auto found = std::ranges::find_if(shape_rows, [&](const ShapeRow& row) {
        return row.op_type == node.op_type && (row.domain == domain || row.domain == Domain::both);
    });
    return found == shape_rows.end() ? nullptr : &*found;
}

bool is_channels_last(const NodeImport& node) {
    return node.node().op_type.starts_with("Nhwc") || node.integer("channels_last", 0) != 0;
}

// The channels as the second axis instead of the last, or back.
void move_channels(Dims& dims, bool to_last) {
    if (dims.size() > 2) {
        to_last ? std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end())
                : std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
    }
}

std::vector<SketchOperand> operands_of(const NodeImport& node, const Likeness& like) {
    std::vector<SketchOperand> operands;
    for (const std::size_t input : like.inputs) {
        if (input == 0 && !operands.empty()) {
            break;
        }
        if (!node.has_input(input)) {
            operands.emplace_back();
            continue;
        }
        Tensor stand_in{node.input(input).dims, DataType::f32};
        if (is_channels_last(node) && operands.empty()) {
            move_channels(stand_in.dims, false);
        }
        operands.push_back({.stand_in = stand_in, .is_constant = node.constant(input) != nullptr});
    }
    return operands;
}

KnownResults likened(const NodeImport& node, const Likeness& like) {
    const Converter* converter = find_converter({}, like.op_type);
    check(converter != nullptr, "an operator is like one that has a converter");
    const auto sketch = node.sketch(like.op_type, converter->convert, operands_of(node, like));
    if (!sketch || !sketch->results.at(0)) {
        return {};
    }
    Tensor result = *sketch->results[0];
    if (is_channels_last(node)) {
        move_channels(result.dims, true);
    }
    result.dtype = like.dtype;
    if (like.typed_as >= 0) {
        const auto typed_as = static_cast<std::size_t>(like.typed_as);
        result.dtype = node.has_input(typed_as) ? node.input(typed_as).dtype : like.dtype;
    }
    KnownResults known{.outputs = {result}, .work = sketch->work};
    if (like.second) {
        known.outputs.push_back(Tensor{result.dims, *like.second});
    }
    std::ranges::copy_if(like.inputs, std::back_inserter(known.weights),
                         [](std::size_t input) { return input > 0; });
    return known;
}

// As if operands of a type that nothing here computes with were f32; nothing if there are none.
KnownResults as_if_computed(const NodeImport& node, const Converter& converter) {
    std::vector<SketchOperand> operands;
    std::optional<DataType> replaced;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        operands.push_back({.name = node.node().inputs[i]});
        const bool must_float = i == 0 && converter.elements == Elements::floating;
        if (!node.has_input(i) || (is_computed(node.input(i).dtype) &&
                                   (!must_float || is_floating(node.input(i).dtype)))) {
            continue;
        }
        replaced = replaced.value_or(node.input(i).dtype);
        operands.back().stand_in = Tensor{node.input(i).dims, DataType::f32};
        operands.back().is_constant = node.constant(i) != nullptr;
    }
    const auto sketch =
        replaced ? node.sketch(converter.op_type, converter.convert, operands) : std::nullopt;
    if (!sketch) {
        return {};
    }
    KnownResults known{.outputs = sketch->results, .work = sketch->work};
    for (auto& result : known.outputs) {
        if (result && result->dtype == DataType::f32) {
            result->dtype = *replaced;
        }
    }
    return known;
}

KnownResults found_results(const NodeImport& node) {
    const ShapeRow* row = find_row(node.node());
    KnownResults known;
    if (row) {
        known = row->rule ? row->rule(node) : likened(node, row->like);
    }
    const Converter* converter = find_converter(node.node().domain, node.node().op_type);
    if (known.outputs.empty() && converter) {
        known = as_if_computed(node, *converter);
    }
    for (const auto& output : known.outputs) {
        if (output) {
            require_sane(output->dims);
        }
    }
    return known;
}

}  // namespace

KnownResults known_results(const NodeImport& node) {
    try {
        return found_results(node);
    } catch (const Unsupported&) {
    } catch (const Error&) {              // inputs that do not fit
    } catch (const std::out_of_range&) {  // a list or a shape that is too short
    }
    return {};
}

}  // namespace strata
