// SPDX-License-Identifier: MIT
#include "networks/onnx/convert/composition.h"
#include "networks/onnx/convert/converters.h"

#include <array>

namespace strata {

namespace {

struct UnaryName {
    std::string_view op_type;
    UnaryKind kind;
};

constexpr std::array unary_functions = {
    UnaryName{"Abs", UnaryKind::absolute},
    UnaryName{"Acos", UnaryKind::arc_cosine},
    UnaryName{"Acosh", UnaryKind::inverse_hyperbolic_cosine},
    UnaryName{"Asin", UnaryKind::arc_sine},
    UnaryName{"Asinh", UnaryKind::inverse_hyperbolic_sine},
    UnaryName{"Atan", UnaryKind::arc_tangent},
    UnaryName{"Atanh", UnaryKind::inverse_hyperbolic_tangent},
    UnaryName{"Ceil", UnaryKind::ceil},
    UnaryName{"Cos", UnaryKind::cosine},
    UnaryName{"Cosh", UnaryKind::hyperbolic_cosine},
    UnaryName{"Erf", UnaryKind::error_function},
    UnaryName{"Exp", UnaryKind::exponential},
    UnaryName{"Floor", UnaryKind::floor},
    UnaryName{"IsNaN", UnaryKind::is_nan},
    UnaryName{"Log", UnaryKind::logarithm},
    UnaryName{"Neg", UnaryKind::negate},
    UnaryName{"Not", UnaryKind::logical_not},
    UnaryName{"Reciprocal", UnaryKind::reciprocal},
    UnaryName{"Round", UnaryKind::round},
    UnaryName{"Sign", UnaryKind::sign},
    UnaryName{"Sin", UnaryKind::sine},
    UnaryName{"Sinh", UnaryKind::hyperbolic_sine},
    UnaryName{"Sqrt", UnaryKind::square_root},
    UnaryName{"Tan", UnaryKind::tangent},
};

}  // namespace

void convert_unary(const NodeImport& node) {
    node.result(Unary{row_for(node, unary_functions).kind}, {node.operand(0)});
}

// Infinity of one sign only: infinite and on that side of zero.
void convert_is_infinite(const NodeImport& node) {
    const bool negative = node.integer("detect_negative", 1) != 0;
    const bool positive = node.integer("detect_positive", 1) != 0;
    if (negative && positive) {
        node.result(Unary{UnaryKind::is_infinite}, {node.operand(0)});
        return;
    }
    if (!negative && !positive) {
        throw Unsupported{"it looks for infinities of neither sign"};
    }
    Composition steps(node);
    const TensorId x = node.operand(0);
    const TensorId any = steps.unary(UnaryKind::is_infinite, x);
    const TensorId side =
        steps.elementwise(positive ? ElementwiseKind::greater : ElementwiseKind::less, x, 0.0);
    node.result(Elementwise{ElementwiseKind::logical_and}, {any, side});
}

void convert_cast(const NodeImport& node) {
    const std::int64_t wanted = node.node().op_type == "CastLike" ? -1 : node.integer("to", 0);
    const auto to = wanted < 0 ? std::optional(node.input(1).dtype) : data_type_of(wanted);
    if (!to || !is_computed(*to)) {
        throw Unsupported{"it casts to elements of type " +
                          std::string(to ? onnx_type_name(*to) : onnx_type_name(wanted))};
    }
    if (*to == node.input(0).dtype) {
        node.result(Identity{}, {node.operand(0)});
        return;
    }
    node.result(Cast{.dtype = *to}, {node.operand(0)});
}

void convert_where(const NodeImport& node) {
    node.result(Select{}, {node.operand(0), node.operand(1), node.operand(2)});
}

}  // namespace strata
