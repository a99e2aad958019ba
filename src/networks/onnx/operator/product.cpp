// SPDX-License-Identifier: MIT
#include "networks/onnx/node/attributes.h"
#include "networks/onnx/node/composition.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"

#include <fmt/format.h>
#include <numeric>

namespace strata {

namespace {

// A floating-point constant times a factor; unchanged if the factor is 1.
Constant scaled(const NodeImport& node, const Constant& constant, double factor) {
    if (factor == 1.0) {
        return constant;
    }
    const std::int64_t count = is_uniform(constant) ? 1 : constant.tensor.elements();
    node.spend(count);
    std::vector<double> numbers(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        numbers[static_cast<std::size_t>(i)] = number_at(constant, i) * factor;
    }
    return constant_of({constant.tensor.dims, DataType::f32}, numbers);
}

// The parameters of a Gemm, with operands named as in ONNX: alpha * A' * B' + beta * C.
struct Gemm {
    double alpha = 1;
    double beta = 1;
    bool transpose_a = false;
    bool transpose_b = false;
};

constexpr auto gemm_attributes = [](auto& op, auto&& attribute) {
    attribute("alpha", op.alpha);
    attribute("beta", op.beta);
    attribute("transA", op.transpose_a);
    attribute("transB", op.transpose_b);
};

void require_matrix(const NodeImport& node, std::size_t i) {
    if (node.input(i).dims.size() != 2) {
        throw Unsupported{
            fmt::format("its input {} is {}, not a matrix", i, to_text(node.input(i).dims))};
    }
}

// C as the bias of `features` outputs; nothing unless it is a constant of one row.
std::optional<Constant> bias_of(const NodeImport& node, const Gemm& gemm, std::int64_t features) {
    const Constant* c = node.constant(2);
    if (!c || !is_floating(c->tensor.dtype)) {
        return std::nullopt;
    }
    const auto& dims = c->tensor.dims;
    const bool is_row =
        c->tensor.elements() == features && !dims.empty() && dims.back() == features;
    if (is_row) {
        return scaled(node, reshaped(*c, {features}), gemm.beta);
    }
    if (c->tensor.elements() == 1 && dims.size() <= 2) {
        Constant bias = scaled(node, *c, gemm.beta);  // one number of any shape
        bias.tensor.dims = {features};
        return bias;
    }
    return std::nullopt;
}

// Adds C to a product if C cannot be its bias.
void finish_with_sum(const NodeImport& node, const Gemm& gemm, Op product,
                     std::vector<TensorId> operands) {
    if (!node.has_input(2)) {
        return node.result(std::move(product), std::move(operands));
    }
    unsupported_if(gemm.beta != 1.0, "beta scales a C that is not a bias");
    const TensorId c = node.operand(2);
    const TensorId ab = node.add("product", std::move(product), std::move(operands));
    node.result(Elementwise{ElementwiseKind::add}, {ab, c});
}

// The weight as [out, in]. It stays in the file, transposed or not, unless it must be scaled.
TensorId weight_of(const NodeImport& node, const Gemm& gemm) {
    if (gemm.transpose_b && gemm.alpha == 1.0) {
        return node.operand(1, Role::parameter);
    }
    if (const auto shared = node.shared_transpose(1);
        shared && !gemm.transpose_b && gemm.alpha == 1.0) {
        return *shared;
    }
    const Constant factored = scaled(node, *node.constant(1), gemm.alpha);
    return node.operand(1, "weight", gemm.transpose_b ? factored : turned(factored),
                        Role::parameter);
}

void convert_to_fully_connected(const NodeImport& node, const Gemm& gemm) {
    const std::int64_t features = node.input(1).dims[gemm.transpose_b ? 0 : 1];
    const auto bias = bias_of(node, gemm, features);
    unsupported_if(!bias && node.has_input(2) && gemm.beta != 1.0,
                   "beta scales a C that is not a bias");
    TensorId a = node.operand(0);
    if (gemm.transpose_a) {
        a = node.add("transposed", Transpose{.permutation = {1, 0}}, {a});
    }
    std::vector<TensorId> operands = {a, weight_of(node, gemm)};
    const FullyConnected product{.out_features = features, .bias = bias.has_value()};
    if (!bias) {
        return finish_with_sum(node, gemm, product, std::move(operands));
    }
    const bool as_is = gemm.beta == 1.0 && node.input(2).dims == Dims{features};
    operands.push_back(as_is ? node.operand(2, Role::parameter)
                             : node.operand(2, "bias", *bias, Role::parameter));
    node.result(product, std::move(operands));
}

// A vector on the left is a matrix of one row, on the right of one column. That axis is removed
// from the result.
void convert_with_vector(const NodeImport& node) {
    const Dims a = node.input(0).dims;
    const Dims b = node.input(1).dims;
    Composition steps(node);
    const TensorId left =
        a.size() == 1 ? steps.reshape(node.operand(0), {1, a[0]}) : node.operand(0);
    const TensorId right =
        b.size() == 1 ? steps.reshape(node.operand(1), {b[0], 1}) : node.operand(1);
    const TensorId product = steps.add(MatMul{}, {left, right});
    Dims dims = steps.dims(product);
    if (b.size() == 1) {
        dims.pop_back();
    }
    if (a.size() == 1) {
        dims.erase(dims.end() - (b.size() == 1 ? 1 : 2));
    }
    node.result(Reshape{.dims = dims}, {product});
}

void convert_gemm(const NodeImport& node) {
    const Gemm gemm = with_attributes(node, Gemm(), gemm_attributes);
    require_matrix(node, 0);
    require_matrix(node, 1);
    const Constant* b = node.constant(1);
    if (b && is_floating(b->tensor.dtype) && !node.constant(0)) {
        return convert_to_fully_connected(node, gemm);
    }
    unsupported_if(gemm.alpha != 1.0, "alpha scales a product of computed matrices");
    finish_with_sum(node, gemm,
                    MatMul{.transpose_a = gemm.transpose_a, .transpose_b = gemm.transpose_b},
                    {node.operand(0), node.operand(1)});
}

void convert_matmul(const NodeImport& node) {
    const Dims& a = node.input(0).dims;
    const Dims& b = node.input(1).dims;
    unsupported_if(a.empty() || b.empty(), "products with a single number are not supported");
    if (a.size() > 1 && b.size() > 1) {
        const auto shared = node.shared_transpose(1);
        return node.result(MatMul{.transpose_b = shared.has_value()},
                           {node.operand(0), shared ? *shared : node.operand(1)});
    }
    convert_with_vector(node);
}

// The last two axes swapped.
std::string swapped(LayerWriter& to, std::size_t i) {
    Dims order(to.input(i).dims.size());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return to.step("Transpose", {to.in(i)}, {{"perm", order}});
}

void write_fully_connected(const FullyConnected&, LayerWriter& to) {
    std::vector<std::string> inputs = to.inputs();
    if (to.input(0).dims.size() != 2) {
        inputs[0] = to.step("Flatten", {inputs[0]}, {{"axis", std::int64_t{1}}});
    }
    to.last("Gemm", inputs, {{"transB", std::int64_t{1}}});
}

void write_matmul(const MatMul& op, LayerWriter& to) {
    const std::string a = op.transpose_a ? swapped(to, 0) : to.in(0);
    const std::string b = op.transpose_b ? swapped(to, 1) : to.in(1);
    to.last("MatMul", {a, b});
}

// Whether element `from` is part of the sum at `to`.
bool is_summed(const NodeImport& node, std::int64_t from, std::int64_t to) {
    const bool exclusive = node.integer("exclusive", 0) != 0;
    const bool reverse = node.integer("reverse", 0) != 0;
    const std::int64_t ahead = reverse ? from - to : to - from;
    return ahead > 0 || (ahead == 0 && !exclusive);
}

Constant triangle(const NodeImport& node, std::int64_t extent) {
    if (extent > 1024) {
        throw Unsupported{fmt::format("a cumulative sum over {} is too long", extent)};
    }
    node.spend(extent * extent);
    std::vector<double> ones;
    for (std::int64_t from = 0; from < extent; ++from) {
        for (std::int64_t to = 0; to < extent; ++to) {
            ones.push_back(is_summed(node, from, to) ? 1 : 0);
        }
    }
    return constant_of({{extent, extent}, DataType::f32}, ones);
}

// The product with a triangular matrix of ones, after moving the axis to the end.
void convert_cumulative_sum(const NodeImport& node) {
    const Dims dims = node.input(0).dims;
    const std::size_t axis = axis_of(node.integer_of_input(1), dims.size());
    Dims order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[axis], order.back());
    Composition steps(node);
    const TensorId last = steps.transpose(node.operand(0), order);
    const Dims moved = steps.dims(last);
    const TensorId matrix = steps.reshape(last, {product(moved) / moved.back(), moved.back()});
    const TensorId summed =
        steps.add(MatMul{}, {matrix, steps.constant(triangle(node, moved.back()))});
    const TensorId back = steps.reshape(summed, moved);
    if (std::ranges::is_sorted(order)) {
        return node.result(Identity{}, {back});
    }
    node.result(Transpose{.permutation = order}, {back});
}

std::optional<Constant> fold_cumulative_sum(const NodeImport& node) {
    const Constant& from = node.known(0);
    const bool plain = node.integer("exclusive", 0) == 0 && node.integer("reverse", 0) == 0;
    if (!plain || !is_small(from.tensor.dims) || is_floating(from.tensor.dtype)) {
        return std::nullopt;
    }
    const std::size_t axis = axis_of(node.integer_of_input(1), from.tensor.dims.size());
    const std::int64_t step = strides_of(from.tensor.dims)[axis];
    auto values = integers_of(from);
    std::size_t element = 0;
    for_each_index(from.tensor.dims, [&](const Dims& index) {
        if (index[axis] > 0) {
            const auto before = values[element - static_cast<std::size_t>(step)];
            values[element] = static_cast<std::int64_t>(
                static_cast<std::uint64_t>(before) + static_cast<std::uint64_t>(values[element]));
        }
        ++element;
    });
    return constant_of(from.tensor, values);
}

}  // namespace

OnnxRows product_rows() {
    static constexpr std::array rows = {
        OnnxRow("CumProd").shaped(as_input),
        OnnxRow("CumSum").in(convert_cumulative_sum).folded(fold_cumulative_sum).shaped(as_input),
        OnnxRow("DynamicQuantizeMatMul", Domain::microsoft).shaped({"MatMul", {0, 1}}),
        OnnxRow("Gemm").in(convert_gemm).out<write_fully_connected>(),
        OnnxRow("MatMul").in(convert_matmul).out<write_matmul>(),
        OnnxRow("MatMulInteger").shaped({"MatMul", {0, 1}, -1, DataType::s32}),
        OnnxRow("MatMulInteger16", Domain::microsoft).shaped({"MatMul", {0, 1}, -1, DataType::s32}),
        OnnxRow("MatMulIntegerToFloat", Domain::microsoft).shaped({"MatMul", {0, 1}, 2}),
        OnnxRow("QGemm", Domain::microsoft).shaped({"Gemm", {0, 3, 6}, 8}),
        OnnxRow("QLinearMatMul", Domain::both).shaped({"MatMul", {0, 3}, 7}),
    };
    return rows;
}

}  // namespace strata
