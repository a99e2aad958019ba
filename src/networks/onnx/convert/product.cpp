// SPDX-License-Identifier: MIT
#include "networks/onnx/convert/composition.h"
#include "networks/onnx/convert/converters.h"

#include <fmt/format.h>
#include <optional>

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
    explicit Gemm(const NodeImport& node)
        : alpha(node.number("alpha", 1)),
          beta(node.number("beta", 1)),
          transpose_a(node.integer("transA", 0) != 0),
          transpose_b(node.integer("transB", 0) != 0) {}

    double alpha;
    double beta;
    bool transpose_a;
    bool transpose_b;
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
        Constant bias = scaled(node, *c, gemm.beta);  // a single number, whatever its shape
        bias.tensor.dims = {features};
        return bias;
    }
    return std::nullopt;
}

// Adds C to a product that cannot include it as a bias.
void finish_with_sum(const NodeImport& node, const Gemm& gemm, Op product,
                     std::vector<TensorId> operands) {
    if (!node.has_input(2)) {
        node.result(std::move(product), std::move(operands));
        return;
    }
    if (gemm.beta != 1.0) {
        throw Unsupported{"beta scales a C that is not a bias"};
    }
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
    if (!bias && node.has_input(2) && gemm.beta != 1.0) {
        throw Unsupported{"beta scales a C that is not a bias"};
    }
    TensorId a = node.operand(0);
    if (gemm.transpose_a) {
        a = node.add("transposed", Transpose{.permutation = {1, 0}}, {a});
    }
    std::vector<TensorId> operands = {a, weight_of(node, gemm)};
    const FullyConnected product{.out_features = features, .bias = bias.has_value()};
    if (!bias) {
        finish_with_sum(node, gemm, product, std::move(operands));
        return;
    }
    const bool as_is = gemm.beta == 1.0 && node.input(2).dims == Dims{features};
    operands.push_back(as_is ? node.operand(2, Role::parameter)
                             : node.operand(2, "bias", *bias, Role::parameter));
    node.result(product, std::move(operands));
}

// A vector on the left is a matrix of one row, on the right a matrix of one column; the axis is
// removed from the result.
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

}  // namespace

void convert_gemm(const NodeImport& node) {
    const Gemm gemm(node);
    require_matrix(node, 0);
    require_matrix(node, 1);
    const Constant* b = node.constant(1);
    if (b && is_floating(b->tensor.dtype) && !node.constant(0)) {
        convert_to_fully_connected(node, gemm);
        return;
    }
    if (gemm.alpha != 1.0) {
        throw Unsupported{"alpha scales a product of computed matrices"};
    }
    finish_with_sum(node, gemm,
                    MatMul{.transpose_a = gemm.transpose_a, .transpose_b = gemm.transpose_b},
                    {node.operand(0), node.operand(1)});
}

void convert_matmul(const NodeImport& node) {
    const Dims& a = node.input(0).dims;
    const Dims& b = node.input(1).dims;
    if (a.empty() || b.empty()) {
        throw Unsupported{"products with a single number are not supported"};
    }
    if (a.size() > 1 && b.size() > 1) {
        const auto shared = node.shared_transpose(1);
        node.result(MatMul{.transpose_b = shared.has_value()},
                    {node.operand(0), shared ? *shared : node.operand(1)});
        return;
    }
    convert_with_vector(node);
}

}  // namespace strata
