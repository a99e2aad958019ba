// SPDX-License-Identifier: MIT
#include "networks/onnx/file/element_type.h"
#include "networks/onnx/node/composition.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"

#include <cmath>

namespace strata {

namespace {

// A function of one element, and how it is folded. Without `of_number` it is not folded; without
// `of_integer` its result is no integer.
struct UnaryFunction {
    std::string_view op_type;
    UnaryKind kind;
    double (*of_number)(double) = nullptr;
    std::int64_t (*of_integer)(std::int64_t) = nullptr;
};

// THE list of these functions, in ONNX and here.
constexpr std::array unary_functions = {
    UnaryFunction{"Abs", UnaryKind::absolute, [](double x) { return std::abs(x); },
                  [](std::int64_t x) { return x < 0 ? negated(x) : x; }},
    UnaryFunction{"Acos", UnaryKind::arc_cosine},
    UnaryFunction{"Acosh", UnaryKind::inverse_hyperbolic_cosine},
    UnaryFunction{"Asin", UnaryKind::arc_sine},
    UnaryFunction{"Asinh", UnaryKind::inverse_hyperbolic_sine},
    UnaryFunction{"Atan", UnaryKind::arc_tangent},
    UnaryFunction{"Atanh", UnaryKind::inverse_hyperbolic_tangent},
    UnaryFunction{"Ceil", UnaryKind::ceil, [](double x) { return std::ceil(x); }},
    UnaryFunction{"Cos", UnaryKind::cosine, [](double x) { return std::cos(x); }},
    UnaryFunction{"Cosh", UnaryKind::hyperbolic_cosine},
    UnaryFunction{"Erf", UnaryKind::error_function, [](double x) { return std::erf(x); }},
    UnaryFunction{"Exp", UnaryKind::exponential, [](double x) { return std::exp(x); }},
    UnaryFunction{"Floor", UnaryKind::floor, [](double x) { return std::floor(x); }},
    UnaryFunction{"IsNaN", UnaryKind::is_nan},
    UnaryFunction{"Log", UnaryKind::logarithm, [](double x) { return std::log(x); }},
    UnaryFunction{"Neg", UnaryKind::negate, [](double x) { return -x; }, negated},
    UnaryFunction{"Not", UnaryKind::logical_not, [](double x) { return x == 0 ? 1.0 : 0.0; },
                  [](std::int64_t x) { return std::int64_t{x == 0}; }},
    UnaryFunction{"Reciprocal", UnaryKind::reciprocal, [](double x) { return 1 / x; }},
    UnaryFunction{"Round", UnaryKind::round, [](double x) { return std::nearbyint(x); }},
    UnaryFunction{"Sign", UnaryKind::sign,
                  [](double x) { return static_cast<double>((x > 0) - (x < 0)); },
                  [](std::int64_t x) { return std::int64_t{(x > 0) - (x < 0)}; }},
    UnaryFunction{"Sin", UnaryKind::sine, [](double x) { return std::sin(x); }},
    UnaryFunction{"Sinh", UnaryKind::hyperbolic_sine},
    UnaryFunction{"Sqrt", UnaryKind::square_root, [](double x) { return std::sqrt(x); }},
    UnaryFunction{"Tan", UnaryKind::tangent},
};

void convert_unary(const NodeImport& node) {
    node.result(Unary{function_of(node, unary_functions).kind}, {node.operand(0)});
}

std::optional<Constant> fold_unary(const NodeImport& node) {
    const auto& function = function_of(node, unary_functions);
    return folded_by(node, function.of_number, function.of_integer);
}

void write_unary(const Unary& op, LayerWriter& to) {
    const auto* function = function_of_kind(unary_functions, op.kind);
    to.last(function ? function->op_type : "IsInf", to.inputs());
}

// Infinity of one sign only: infinite and on that side of zero.
void convert_is_infinite(const NodeImport& node) {
    const bool negative = node.integer("detect_negative", 1) != 0;
    const bool positive = node.integer("detect_positive", 1) != 0;
    if (negative && positive) {
        return node.result(Unary{UnaryKind::is_infinite}, {node.operand(0)});
    }
    unsupported_if(!negative && !positive, "it looks for infinities of neither sign");
    Composition steps(node);
    const TensorId x = node.operand(0);
    const TensorId any = steps.unary(UnaryKind::is_infinite, x);
    const TensorId side =
        steps.elementwise(positive ? ElementwiseKind::greater : ElementwiseKind::less, x, 0.0);
    node.result(Elementwise{ElementwiseKind::logical_and}, {any, side});
}

// The type that a Cast gives, or of CastLike's second input; nothing if we do not have it.
std::optional<DataType> type_cast_to(const NodeImport& node) {
    return node.node().op_type == "CastLike" ? node.input(1).dtype
                                             : data_type_of(node.integer("to", 0));
}

void convert_cast(const NodeImport& node) {
    const auto to = type_cast_to(node);
    if (!to || !is_computed(*to)) {
        throw Unsupported{
            "it casts to elements of type " +
            std::string(to ? onnx_type_name(*to) : onnx_type_name(node.integer("to", 0)))};
    }
    if (*to == node.input(0).dtype) {
        return node.result(Identity{}, {node.operand(0)});
    }
    node.result(Cast{.dtype = *to}, {node.operand(0)});
}

std::optional<Constant> fold_cast(const NodeImport& node) {
    const Constant& from = node.known(0);
    const auto to = type_cast_to(node);
    if (to == from.tensor.dtype) {
        return from;
    }
    if (!to || !can_make(*to)) {
        return std::nullopt;
    }
    // Weights of any size are cast: exporters store half precision and compute in single.
    const std::int64_t count = is_uniform(from) ? 1 : from.tensor.elements();
    Constant values = from;
    values.tensor.dims = {count};
    const Tensor result{from.tensor.dims, *to};
    return is_floating(from.tensor.dtype) ? constant_of(result, numbers_of(values))
                                          : constant_of(result, integers_of(values));
}

KnownResults cast_results(const NodeImport& node) {
    const auto to = data_type_of(node.integer("to", 0));
    unsupported_if(!to, "its type is unknown");
    return moved_result({node.input(0).dims, *to});
}

void write_cast(const Cast& op, LayerWriter& to) {
    to.last("Cast", to.inputs(), {{"to", onnx_type_of(op.dtype)}});
}

}  // namespace

OnnxRows unary_rows() {
    static constexpr auto rows = rows_of(
        unary_functions,
        [](const UnaryFunction& one) {
            return OnnxRow(one.op_type)
                .in(convert_unary)
                .folded(one.of_number ? fold_unary : nullptr)
                .out<write_unary>();
        },
        std::array{
            OnnxRow("BitCast").shaped(cast_results),
            OnnxRow("Cast")
                .in(convert_cast)
                .folded(fold_cast)
                .shaped(cast_results)
                .out<write_cast>(),
            OnnxRow("CastLike").in(convert_cast).folded(fold_cast),
            OnnxRow("IsInf").in(convert_is_infinite),
        });
    return rows;
}

}  // namespace strata
