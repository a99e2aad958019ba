// SPDX-License-Identifier: MIT
#include "networks/onnx/fold/folders.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace strata {

namespace {

// 16-bit floats are read but never produced: their arithmetic is left to layers.
bool can_make(DataType dtype) {
    return is_computed(dtype) && dtype != DataType::f16 && dtype != DataType::bf16;
}

// Integers wrap around as in every runtime; computed as unsigned, where that is defined.
std::int64_t wrap(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

std::uint64_t bits(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

struct UnaryFunction {
    std::string_view op_type;
    double (*of_number)(double);
    std::int64_t (*of_integer)(std::int64_t);  // null: the result is not an integer
};

constexpr std::array foldable_functions = {
    UnaryFunction{"Abs", [](double x) { return std::abs(x); },
                  [](std::int64_t x) { return x < 0 ? wrap(-bits(x)) : x; }},
    UnaryFunction{"Ceil", [](double x) { return std::ceil(x); }, nullptr},
    UnaryFunction{"Cos", [](double x) { return std::cos(x); }, nullptr},
    UnaryFunction{"Erf", [](double x) { return std::erf(x); }, nullptr},
    UnaryFunction{"Exp", [](double x) { return std::exp(x); }, nullptr},
    UnaryFunction{"Floor", [](double x) { return std::floor(x); }, nullptr},
    UnaryFunction{"Log", [](double x) { return std::log(x); }, nullptr},
    UnaryFunction{"Neg", [](double x) { return -x; },
                  [](std::int64_t x) { return wrap(-bits(x)); }},
    UnaryFunction{"Not", [](double x) { return x == 0 ? 1.0 : 0.0; },
                  [](std::int64_t x) { return std::int64_t{x == 0}; }},
    UnaryFunction{"Reciprocal", [](double x) { return 1 / x; }, nullptr},
    UnaryFunction{"Relu", [](double x) { return x > 0 ? x : 0; },
                  [](std::int64_t x) { return std::max<std::int64_t>(x, 0); }},
    UnaryFunction{"Round", [](double x) { return std::nearbyint(x); }, nullptr},
    UnaryFunction{"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, nullptr},
    UnaryFunction{"Sign", [](double x) { return static_cast<double>((x > 0) - (x < 0)); },
                  [](std::int64_t x) { return std::int64_t{(x > 0) - (x < 0)}; }},
    UnaryFunction{"Sin", [](double x) { return std::sin(x); }, nullptr},
    UnaryFunction{"Sqrt", [](double x) { return std::sqrt(x); }, nullptr},
    UnaryFunction{"Tanh", [](double x) { return std::tanh(x); }, nullptr},
};

// Integer quotients are truncated towards 0. Nothing if the quotient is undefined.
std::optional<std::int64_t> quotient(std::int64_t a, std::int64_t b) {
    if (b == 0) {
        return std::nullopt;
    }
    return b == -1 ? wrap(-bits(a)) : a / b;
}

// The remainder has the divisor's sign, as Python's; exporters use it on extents only.
std::optional<std::int64_t> remainder(std::int64_t a, std::int64_t b) {
    if (b == 0 || b == -1) {
        return b == 0 ? std::nullopt : std::optional<std::int64_t>(0);
    }
    const std::int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::optional<std::int64_t> power(std::int64_t base, std::int64_t exponent) {
    if (exponent < 0 || exponent > 64) {
        return std::nullopt;
    }
    std::uint64_t result = 1;
    for (std::int64_t i = 0; i < exponent; ++i) {
        result *= bits(base);
    }
    return wrap(result);
}

enum class ResultType { same, boolean };

struct Binary {
    std::string_view op_type;
    double (*of_numbers)(double, double);
    std::optional<std::int64_t> (*of_integers)(std::int64_t, std::int64_t);
    ResultType result = ResultType::same;
};

using Integer = std::optional<std::int64_t>;

constexpr std::array binary_functions = {
    Binary{"Add", [](double a, double b) { return a + b; },
           [](std::int64_t a, std::int64_t b) { return Integer(wrap(bits(a) + bits(b))); }},
    Binary{"And", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; },
           [](std::int64_t a, std::int64_t b) { return Integer(a != 0 && b != 0); },
           ResultType::boolean},
    Binary{"Div", [](double a, double b) { return a / b; }, quotient},
    Binary{"Equal", [](double a, double b) { return a == b ? 1.0 : 0.0; },
           [](std::int64_t a, std::int64_t b) { return Integer(a == b); }, ResultType::boolean},
    Binary{"Greater", [](double a, double b) { return a > b ? 1.0 : 0.0; },
           [](std::int64_t a, std::int64_t b) { return Integer(a > b); }, ResultType::boolean},
    Binary{"GreaterOrEqual", [](double a, double b) { return a >= b ? 1.0 : 0.0; },
           [](std::int64_t a, std::int64_t b) { return Integer(a >= b); }, ResultType::boolean},
    Binary{"Less", [](double a, double b) { return a < b ? 1.0 : 0.0; },
           [](std::int64_t a, std::int64_t b) { return Integer(a < b); }, ResultType::boolean},
    Binary{"LessOrEqual", [](double a, double b) { return a <= b ? 1.0 : 0.0; },
           [](std::int64_t a, std::int64_t b) { return Integer(a <= b); }, ResultType::boolean},
    Binary{"Max", [](double a, double b) { return std::max(a, b); },
           [](std::int64_t a, std::int64_t b) { return Integer(std::max(a, b)); }},
    Binary{"Min", [](double a, double b) { return std::min(a, b); },
           [](std::int64_t a, std::int64_t b) { return Integer(std::min(a, b)); }},
    Binary{"Mod", [](double a, double b) { return std::fmod(a, b); }, remainder},
    Binary{"Mul", [](double a, double b) { return a * b; },
           [](std::int64_t a, std::int64_t b) { return Integer(wrap(bits(a) * bits(b))); }},
    Binary{"Or", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; },
           [](std::int64_t a, std::int64_t b) { return Integer(a != 0 || b != 0); },
           ResultType::boolean},
    Binary{"Pow", [](double a, double b) { return std::pow(a, b); }, power},
    Binary{"Sub", [](double a, double b) { return a - b; },
           [](std::int64_t a, std::int64_t b) { return Integer(wrap(bits(a) - bits(b))); }},
    Binary{"Xor", [](double a, double b) { return (a != 0) != (b != 0) ? 1.0 : 0.0; },
           [](std::int64_t a, std::int64_t b) { return Integer((a != 0) != (b != 0)); },
           ResultType::boolean},
};

std::optional<Constant> integers_by(const Binary& function, const NodeImport& node, Tensor result) {
    const auto a = broadcast_elements(node.input(0).dims, result.dims);
    const auto b = broadcast_elements(node.input(1).dims, result.dims);
    std::vector<std::int64_t> values(a.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Integer value =
            function.of_integers(integer_at(node.known(0), a[i]), integer_at(node.known(1), b[i]));
        if (!value) {
            return std::nullopt;
        }
        values[i] = *value;
    }
    return constant_of(std::move(result), values);
}

Constant numbers_by(const Binary& function, const NodeImport& node, Tensor result) {
    const auto a = broadcast_elements(node.input(0).dims, result.dims);
    const auto b = broadcast_elements(node.input(1).dims, result.dims);
    std::vector<double> values(a.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] =
            function.of_numbers(number_at(node.known(0), a[i]), number_at(node.known(1), b[i]));
    }
    return constant_of(std::move(result), values);
}

}  // namespace

std::optional<Constant> fold_cast(const NodeImport& node) {
    const Constant& from = node.known(0);
    const auto to = node.node().op_type == "CastLike" ? std::optional(node.input(1).dtype)
                                                      : data_type_of(node.integer("to", 0));
    if (to == from.tensor.dtype) {
        return from;
    }
    if (!to || !can_make(*to)) {
        return std::nullopt;
    }
    // Weights are cast whatever their size: exporters store half precision and compute in single.
    const std::int64_t count = is_uniform(from) ? 1 : from.tensor.elements();
    Constant values = from;
    values.tensor.dims = {count};
    const Tensor result{from.tensor.dims, *to};
    if (is_floating(from.tensor.dtype)) {
        std::vector<double> numbers(static_cast<std::size_t>(count));
        for (std::int64_t i = 0; i < count; ++i) {
            numbers[static_cast<std::size_t>(i)] = number_at(from, i);
        }
        return constant_of(result, numbers);
    }
    std::vector<std::int64_t> integers(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        integers[static_cast<std::size_t>(i)] = integer_at(from, i);
    }
    return constant_of(result, integers);
}

std::optional<Constant> fold_unary(const NodeImport& node) {
    const Constant& from = node.known(0);
    const auto function =
        std::ranges::find(foldable_functions, node.node().op_type, &UnaryFunction::op_type);
    const bool floating = is_floating(from.tensor.dtype);
    if (function == foldable_functions.end() || !is_small(from.tensor.dims) ||
        !can_make(from.tensor.dtype) || (!floating && !function->of_integer)) {
        return std::nullopt;
    }
    if (floating) {
        auto numbers = numbers_of(from);
        std::ranges::transform(numbers, numbers.begin(), function->of_number);
        return constant_of(from.tensor, numbers);
    }
    auto integers = integers_of(from);
    std::ranges::transform(integers, integers.begin(), function->of_integer);
    return constant_of(from.tensor, integers);
}

std::optional<Constant> fold_binary(const NodeImport& node) {
    const auto function =
        std::ranges::find(binary_functions, node.node().op_type, &Binary::op_type);
    if (function == binary_functions.end() || node.input_count() != 2) {
        return std::nullopt;
    }
    const DataType dtype = node.input(0).dtype;
    const auto dims = broadcast_dims(std::array{node.input(0).dims, node.input(1).dims});
    if (!dims || !is_small(*dims) || !can_make(dtype) || !can_make(node.input(1).dtype)) {
        return std::nullopt;
    }
    Tensor result{*dims, function->result == ResultType::boolean ? DataType::boolean : dtype};
    if (is_floating(dtype) || is_floating(node.input(1).dtype)) {
        return numbers_by(*function, node, std::move(result));
    }
    return integers_by(*function, node, std::move(result));
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

}  // namespace strata
