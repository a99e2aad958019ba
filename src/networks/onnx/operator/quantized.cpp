// SPDX-License-Identifier: MIT
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"
#include "op/rules.h"

#include <fmt/format.h>

namespace strata {

namespace {

DataType type_of_input(const NodeImport& node, std::size_t i, DataType absent) {
    return node.has_input(i) ? node.input(i).dtype : absent;
}

// The type of weights of a few bits that are packed in bytes; nothing for whole bytes.
std::optional<DataType> packed_type(std::int64_t bits) {
    return bits == 4   ? std::optional(DataType::u4)
           : bits == 2 ? std::optional(DataType::u2)
                       : std::nullopt;
}

// round(x / scale) + zero point, clamped to the type's bounds.
KnownResults quantized(const NodeImport& node) {
    const Tensor& x = node.input(0);
    const DataType stated = named_type(node, "output_dtype", DataType::u8);
    const double count = count_of(x);
    return {.outputs = {Tensor{x.dims, type_of_input(node, 2, stated)}},
            .work = Operations{.adds = count, .divides = count, .compares = 2 * count}};
}

// (x - zero point) * scale.
KnownResults dequantized(const NodeImport& node) {
    const Tensor& x = node.input(0);
    const DataType dtype = named_type(node, "output_dtype", node.input(1).dtype);
    const double count = count_of(x);
    return {.outputs = {Tensor{x.dims, dtype}},
            .work = Operations{.adds = node.has_input(2) ? count : 0, .multiplies = count},
            .weights = {0}};
}

// The least and greatest elements determine the scale and the zero point.
KnownResults dynamically_quantized(const NodeImport& node) {
    const Tensor& x = node.input(0);
    const double count = count_of(x);
    return {.outputs = {Tensor{x.dims, DataType::u8}, Tensor{{}, DataType::f32},
                        Tensor{{}, DataType::u8}},
            .work = Operations{.adds = count, .divides = count, .compares = 4 * count}};
}

// A [..., K] times a weight of N x K packed in blocks of a few bits. The product is counted; how
// often the weight is expanded depends on the runtime.
KnownResults product_with_packed(const NodeImport& node) {
    Tensor y = node.input(0);
    const std::int64_t depth = node.integer("K", 0);
    const std::int64_t columns = node.integer("N", 0);
    if (y.dims.empty() || y.dims.back() != depth || columns < 1) {
        throw Unsupported{
            fmt::format("K {} and N {} do not fit its input {}", depth, columns, to_text(y.dims))};
    }
    const double multiply_adds = count_of(y) * static_cast<double>(columns);
    y.dims.back() = columns;
    const bool bias = node.has_input(5);
    return {.outputs = {y},
            .work = Operations{.multiply_adds = multiply_adds, .bias_adds = bias ? count_of(y) : 0},
            .weights = {1, 5},
            .packed = packed_type(node.integer("bits", 4))};
}

KnownResults gathered_from_packed(const NodeImport& node) {
    const Tensor& data = node.input(0);
    const auto packed =
        data.dtype == DataType::u8 ? packed_type(node.integer("bits", 4)) : std::nullopt;
    const std::size_t axis = axis_of(node.integer("gather_axis", 0), data.dims.size());
    Dims dims = data.dims;
    dims.back() *= packed == DataType::u4 ? 2 : packed == DataType::u2 ? 4 : 1;
    const Dims rows = node.input(1).dims;
    const auto at = dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
    dims.insert(at, rows.begin(), rows.end());
    Tensor y{dims, node.input(2).dtype};
    const double count = count_of(y);
    return {.outputs = {std::move(y)},
            .work = Operations{.adds = count, .multiplies = count},
            .weights = {0},
            .packed = packed};
}

// Each row passes through k experts. Weights of a few bits are packed in bytes.
KnownResults mixture_of_experts(const NodeImport& node) {
    const bool is_packed = node.node().op_type == "QMoE";
    const std::int64_t bits = node.integer("expert_weight_bits", 4);
    const double per_element = is_packed && bits > 0 && bits < 8 ? 8.0 / as_number(bits) : 1.0;
    const Tensor x = node.input(0);
    const std::int64_t width = x.dims.empty() ? 1 : x.dims.back();
    const double rows = as_number(x.elements()) / std::max(as_number(width), 1.0);
    const std::vector<std::size_t> weights =
        is_packed ? std::vector<std::size_t>{2, 5, 8} : std::vector<std::size_t>{2, 4, 6};
    double of_one_expert = 0;
    for (const std::size_t i : weights) {
        if (node.has_input(i)) {
            const Tensor weight = node.input(i);
            of_one_expert += as_number(weight.elements()) * per_element /
                             std::max(as_number(weight.dims.at(0)), 1.0);
        }
    }
    return {
        .outputs = {x},
        .work = Operations{.multiply_adds = rows * as_number(node.integer("k", 1)) * of_one_expert},
        .weights = weights};
}

}  // namespace

OnnxRows quantized_rows() {
    static constexpr std::array rows = {
        OnnxRow("DequantizeLinear", Domain::both).shaped(dequantized),
        OnnxRow("DynamicQuantizeLinear", Domain::both).shaped(dynamically_quantized),
        OnnxRow("GatherBlockQuantized", Domain::microsoft).shaped(gathered_from_packed),
        OnnxRow("MatMulBnb4", Domain::microsoft).shaped(product_with_packed),
        OnnxRow("MatMulNBits", Domain::microsoft).shaped(product_with_packed),
        OnnxRow("MoE", Domain::microsoft).shaped(mixture_of_experts),
        OnnxRow("QMoE", Domain::microsoft).shaped(mixture_of_experts),
        OnnxRow("QuantizeLinear", Domain::both).shaped(quantized),
    };
    return rows;
}

}  // namespace strata
