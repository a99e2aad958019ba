// SPDX-License-Identifier: MIT
#include "networks/onnx/file/element_type.h"
#include "networks/onnx/node/composition.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"
#include "op/rules.h"

#include <cmath>

namespace strata {

namespace {

using Integer = std::optional<std::int64_t>;

enum class ResultType { same, boolean };

// A broadcast function of two elements, and how it is folded; an integer result may be undefined.
struct ElementwiseFunction {
    std::string_view op_type;
    ElementwiseKind kind;
    double (*of_numbers)(double, double) = nullptr;
    Integer (*of_integers)(std::int64_t, std::int64_t) = nullptr;
    ResultType result = ResultType::same;
};

// Integer quotients are truncated towards 0.
Integer quotient(std::int64_t a, std::int64_t b) {
    if (b == 0) {
        return std::nullopt;
    }
    return b == -1 ? negated(a) : a / b;
}

// The remainder has the divisor's sign, as in Python; exporters use it only for extents.
Integer remainder(std::int64_t a, std::int64_t b) {
    if (b == 0 || b == -1) {
        return b == 0 ? std::nullopt : Integer(0);
    }
    const std::int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Integer power(std::int64_t base, std::int64_t exponent) {
    if (exponent < 0 || exponent > 64) {
        return std::nullopt;
    }
    std::uint64_t result = 1;
    for (std::int64_t i = 0; i < exponent; ++i) {
        result *= as_bits(base);
    }
    return wrapped(result);
}

// A comparison or a logical function; it is the same for integers and floating point.
template <class Holds>
constexpr ElementwiseFunction truth_of(std::string_view op_type, ElementwiseKind kind, Holds) {
    return {op_type, kind, [](double a, double b) { return Holds()(a, b) ? 1.0 : 0.0; },
            [](std::int64_t a, std::int64_t b) { return Integer(Holds()(a, b)); },
            ResultType::boolean};
}

// THE list of these functions, in ONNX and here.
constexpr std::array elementwise_functions = {
    ElementwiseFunction{
        "Add", ElementwiseKind::add, [](double a, double b) { return a + b; },
        [](std::int64_t a, std::int64_t b) { return Integer(wrapped(as_bits(a) + as_bits(b))); }},
    truth_of("And", ElementwiseKind::logical_and, [](auto a, auto b) { return a != 0 && b != 0; }),
    ElementwiseFunction{"Div", ElementwiseKind::divide, [](double a, double b) { return a / b; },
                        quotient},
    truth_of("Equal", ElementwiseKind::equal, std::equal_to<>()),
    truth_of("Greater", ElementwiseKind::greater, std::greater<>()),
    truth_of("GreaterOrEqual", ElementwiseKind::greater_or_equal, std::greater_equal<>()),
    truth_of("Less", ElementwiseKind::less, std::less<>()),
    truth_of("LessOrEqual", ElementwiseKind::less_or_equal, std::less_equal<>()),
    ElementwiseFunction{"Max", ElementwiseKind::maximum,
                        [](double a, double b) { return std::max(a, b); },
                        [](std::int64_t a, std::int64_t b) { return Integer(std::max(a, b)); }},
    ElementwiseFunction{"Min", ElementwiseKind::minimum,
                        [](double a, double b) { return std::min(a, b); },
                        [](std::int64_t a, std::int64_t b) { return Integer(std::min(a, b)); }},
    ElementwiseFunction{"Mod", ElementwiseKind::remainder,
                        [](double a, double b) { return std::fmod(a, b); }, remainder},
    ElementwiseFunction{
        "Mul", ElementwiseKind::multiply, [](double a, double b) { return a * b; },
        [](std::int64_t a, std::int64_t b) { return Integer(wrapped(as_bits(a) * as_bits(b))); }},
    truth_of("Or", ElementwiseKind::logical_or, [](auto a, auto b) { return a != 0 || b != 0; }),
    ElementwiseFunction{"PRelu", ElementwiseKind::prelu},
    ElementwiseFunction{"Pow", ElementwiseKind::power,
                        [](double a, double b) { return std::pow(a, b); }, power},
    ElementwiseFunction{
        "Sub", ElementwiseKind::subtract, [](double a, double b) { return a - b; },
        [](std::int64_t a, std::int64_t b) { return Integer(wrapped(as_bits(a) - as_bits(b))); }},
    ElementwiseFunction{"Sum", ElementwiseKind::add},
    truth_of("Xor", ElementwiseKind::logical_xor,
             [](auto a, auto b) { return (a != 0) != (b != 0); }),
};

std::vector<TensorId> operands_of(const NodeImport& node) {
    std::vector<TensorId> operands;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        operands.push_back(node.operand(i));
    }
    return operands;
}

// Some exporters still follow opset 6: the second operand is aligned at `axis` instead of at the
// end. This is a reshape of a constant.
bool is_legacy_broadcast(const NodeImport& node) {
    return node.integer("broadcast", 0) != 0 && node.has_attribute("axis");
}

TensorId aligned_operand(const NodeImport& node) {
    const Constant* constant = node.constant(1);
    const std::int64_t free = std::ssize(node.input(0).dims) - std::ssize(node.input(1).dims);
    const std::int64_t axis = node.integer("axis", 0);
    unsupported_if(!constant || axis < 0 || axis > free,
                   "broadcast along an axis is known for constants that fit only");
    const std::int64_t after = free - axis;
    Dims dims = constant->tensor.dims;
    dims.insert(dims.end(), static_cast<std::size_t>(after), 1);
    return node.operand(1, "aligned", reshaped(*constant, dims), Role::parameter);
}

// An elementwise function on integers, computed in f32: the result is truncated towards zero.
void finish_whole(const NodeImport& node, ElementwiseKind kind, TensorId a, TensorId b) {
    Composition steps(node);
    const DataType dtype = steps.dtype(a);
    const TensorId real = steps.elementwise(kind, steps.cast(a, DataType::f32), b);
    node.result(Cast{.dtype = dtype}, {real});
}

void convert_elementwise(const NodeImport& node) {
    const auto kind = function_of(node, elementwise_functions).kind;
    if (node.input_count() == 1) {  // a sum of one term
        return node.result(Identity{}, {node.operand(0)});
    }
    if (is_legacy_broadcast(node)) {
        const TensorId second = aligned_operand(node);
        return node.result(Elementwise{kind}, {node.operand(0), second});
    }
    std::vector<TensorId> operands = operands_of(node);
    const bool is_whole = kind == ElementwiseKind::divide || kind == ElementwiseKind::power;
    if (is_whole && is_integer(node.input(0).dtype)) {
        return finish_whole(node, kind, operands.at(0), operands.at(1));
    }
    node.result(Elementwise{kind}, std::move(operands));
}

// fmod has the dividend's sign: a - b * trunc(a / b).
void convert_modulo(const NodeImport& node) {
    const TensorId a = node.operand(0);
    const TensorId b = node.operand(1);
    if (node.integer("fmod", 0) == 0) {
        return node.result(Elementwise{ElementwiseKind::remainder}, {a, b});
    }
    Composition steps(node);
    const DataType dtype = steps.dtype(a);
    const TensorId quotient = steps.quotient(steps.cast(a, DataType::f32), b);
    const TensorId whole = steps.cast(steps.cast(quotient, DataType::s64), dtype);
    const TensorId product = steps.product(whole, b);
    node.result(Elementwise{ElementwiseKind::subtract}, {a, product});
}

void convert_mean(const NodeImport& node) {
    std::vector<TensorId> operands = operands_of(node);
    if (operands.size() == 1) {
        return node.result(Identity{}, std::move(operands));
    }
    Composition steps(node);
    const double count = static_cast<double>(operands.size());
    const TensorId sum = steps.add(Elementwise{ElementwiseKind::add}, std::move(operands));
    const TensorId share = steps.scalar(1 / count, steps.dtype(sum));
    node.result(Elementwise{ElementwiseKind::multiply}, {sum, share});
}

// BiasAdd: x + bias + skip.
void convert_elementwise_sum(const NodeImport& node) {
    Composition steps(node);
    const TensorId x = steps.sum(node.operand(0), node.operand(1, Role::parameter));
    node.result(Elementwise{ElementwiseKind::add}, {x, node.operand(2)});
}

void convert_where(const NodeImport& node) {
    node.result(Select{}, {node.operand(0), node.operand(1), node.operand(2)});
}

// The values of a result: each is the function of the elements that are broadcast to it.
template <class Number, class At, class Function>
std::optional<Constant> paired(const NodeImport& node, Tensor result, At at, Function function) {
    const auto a = broadcast_elements(node.input(0).dims, result.dims);
    const auto b = broadcast_elements(node.input(1).dims, result.dims);
    std::vector<Number> values(a.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::optional<Number> value =
            function(at(node.known(0), a[i]), at(node.known(1), b[i]));
        if (!value) {
            return std::nullopt;
        }
        values[i] = *value;
    }
    return constant_of(std::move(result), values);
}

std::optional<Constant> fold_elementwise(const NodeImport& node) {
    const auto& function = function_of(node, elementwise_functions);
    if (node.input_count() != 2) {
        return std::nullopt;
    }
    const DataType dtype = node.input(0).dtype;
    const auto dims = broadcast_dims(std::array{node.input(0).dims, node.input(1).dims});
    if (!dims || !is_small(*dims) || !can_make(dtype) || !can_make(node.input(1).dtype)) {
        return std::nullopt;
    }
    Tensor result{*dims, function.result == ResultType::boolean ? DataType::boolean : dtype};
    return is_floating(dtype) || is_floating(node.input(1).dtype)
               ? paired<double>(node, std::move(result), number_at, function.of_numbers)
               : paired<std::int64_t>(node, std::move(result), integer_at, function.of_integers);
}

std::optional<Constant> fold_where(const NodeImport& node) {
    const std::array shapes = {node.input(0).dims, node.input(1).dims, node.input(2).dims};
    const auto dims = broadcast_dims(shapes);
    const DataType dtype = node.input(1).dtype;
    if (!dims || !is_small(*dims) || !can_make(dtype) || node.input(2).dtype != dtype) {
        return std::nullopt;
    }
    std::array<std::vector<std::int64_t>, 3> elements;
    for (std::size_t i = 0; i < 3; ++i) {
        elements[i] = broadcast_elements(shapes[i], *dims);
    }
    const auto chosen = [&](std::size_t i) {
        return integer_at(node.known(0), elements[0][i]) != 0 ? std::size_t{1} : std::size_t{2};
    };
    const auto with = [&]<class Number>(Number (*at)(const Constant&, std::int64_t)) {
        std::vector<Number> values(elements[0].size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = at(node.known(chosen(i)), elements[chosen(i)][i]);
        }
        return constant_of({*dims, dtype}, values);
    };
    return is_floating(dtype) ? with(number_at) : with(integer_at);
}

KnownResults broadcast_results(const NodeImport& node) {
    std::vector<Dims> shapes;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        shapes.push_back(node.input(i).dims);
    }
    const auto dims = broadcast_dims(shapes);
    unsupported_if(!dims, "its inputs do not fit");
    Tensor y{*dims, node.input(0).dtype};
    const double count = count_of(y);
    return counted_result(std::move(y), {.adds = count});
}

void write_elementwise(const Elementwise& op, LayerWriter& to) {
    if (op.kind == ElementwiseKind::remainder && is_floating(to.input(0).dtype)) {
        // a - floor(a / b) * b, with the divisor's sign; ONNX has this only for integers.
        const std::string whole = to.step("Floor", {to.step("Div", {to.in(0), to.in(1)})});
        return to.last("Sub", {to.in(0), to.step("Mul", {whole, to.in(1)})});
    }
    const std::string_view name = function_of_kind(elementwise_functions, op.kind)->op_type;
    const std::size_t count = to.input_count();
    const bool takes_many =
        op.kind == ElementwiseKind::maximum || op.kind == ElementwiseKind::minimum;
    if (count == 2 || takes_many) {
        return to.last(name, to.inputs());
    }
    if (op.kind == ElementwiseKind::add) {
        return to.last("Sum", to.inputs());
    }
    std::string product = to.in(0);
    for (std::size_t i = 1; i + 1 < count; ++i) {
        product = to.step(name, {product, to.in(i)});
    }
    to.last(name, {product, to.in(count - 1)});
}

void write_select(const Select&, LayerWriter& to) {
    std::vector<std::string> inputs = to.inputs();
    if (to.input(0).dtype != DataType::boolean) {
        inputs[0] = to.step("Cast", {inputs[0]}, {{"to", onnx_type_of(DataType::boolean)}});
    }
    to.last("Where", inputs);
}

}  // namespace

OnnxRows elementwise_rows() {
    static constexpr auto rows = rows_of(
        elementwise_functions,
        [](const ElementwiseFunction& one) {
            return OnnxRow(one.op_type)
                .in(one.kind == ElementwiseKind::remainder ? convert_modulo : convert_elementwise)
                .folded(one.of_numbers ? fold_elementwise : nullptr)
                .out<write_elementwise>();
        },
        std::array{
            OnnxRow("BiasAdd", Domain::microsoft).in_floating(convert_elementwise_sum),
            OnnxRow("BitShift").shaped(broadcast_results),
            OnnxRow("BitwiseAnd").shaped(broadcast_results),
            OnnxRow("BitwiseNot").shaped(as_input),
            OnnxRow("BitwiseOr").shaped(broadcast_results),
            OnnxRow("BitwiseXor").shaped(broadcast_results),
            OnnxRow("Mean").in(convert_mean),
            OnnxRow("MulInteger", Domain::microsoft).shaped({"Mul", {0, 2}, -1, DataType::s32}),
            OnnxRow("QLinearAdd", Domain::microsoft).shaped({"Add", {0, 3}, 0}),
            OnnxRow("QLinearMul", Domain::microsoft).shaped({"Mul", {0, 3}, 0}),
            OnnxRow("QLinearWhere", Domain::microsoft).shaped({"Where", {0, 1, 4}, 1}),
            OnnxRow("Where").in(convert_where).folded(fold_where).out<write_select>(),
        });
    return rows;
}

}  // namespace strata
