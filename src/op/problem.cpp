// SPDX-License-Identifier: MIT
#include "op/problem.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

std::string operand_text(const Operand& operand) {
    std::string text = to_text(operand.tensor.dims);
    if (operand.tensor.dtype != DataType::f32) {
        text += fmt::format(":{}", name_of(operand.tensor.dtype));
    }
    if (operand.role != Role::activation) {
        text += fmt::format(":{}", name_of(operand.role));
    }
    return text;
}

Operand parse_operand(std::string_view text) {
    const auto parts = split(trim(text), ':');
    Operand operand = {{parse_dims(parts[0]), DataType::f32}, Role::activation};
    for (const std::string_view part : std::span(parts).subspan(1)) {
        if (const auto role = parse_role(part)) {
            operand.role = *role;
        } else {
            operand.tensor.dtype = parse_data_type(part);
        }
    }
    return operand;
}

std::vector<Tensor> tensors_of(std::span<const Operand> operands) {
    std::vector<Tensor> tensors;
    for (const Operand& operand : operands) {
        tensors.push_back(operand.tensor);
    }
    return tensors;
}

// Operands besides the activations, with the roles that the operator assigns.
std::vector<Operand> own_operands(const Op& op, std::span<const Operand> activations) {
    std::vector<Operand> operands;
    for (const ParameterShape& shape : parameters_of(op, tensors_of(activations))) {
        operands.push_back({shape.tensor, shape.role});
    }
    return operands;
}

// Whether the operator, given the first `count` operands, requests exactly the others.
bool asks_for_rest(const Op& op, std::span<const Operand> inputs, std::size_t count) {
    try {
        return std::ranges::equal(own_operands(op, inputs.first(count)), inputs.subspan(count));
    } catch (const Error&) {
        return false;
    }
}

// Whether it requests these others, with the same extents and roles, in any types.
bool asks_for_rest_in_another_type(const Op& op, std::span<const Operand> inputs,
                                   std::size_t count) {
    const auto is_alike = [](const Operand& one, const Operand& other) {
        return one.tensor.dims == other.tensor.dims && one.role == other.role;
    };
    try {
        return std::ranges::equal(own_operands(op, inputs.first(count)), inputs.subspan(count),
                                  is_alike);
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

Problem problem_of(const Op& op, const Signature& signature) {
    const std::span<const Operand> inputs = signature.inputs;
    std::size_t count =
        std::max<std::size_t>(inputs.size(), max_own_operands + 1) - max_own_operands;
    while (count < inputs.size() && !asks_for_rest(op, inputs, count)) {
        ++count;
    }
    const auto activations = inputs.first(std::min(count, inputs.size()));
    return {op, {activations.begin(), activations.end()}};
}

std::size_t activations_of(const Problem& problem) {
    const std::span<const Operand> all = problem.activations;
    for (std::size_t count = 1; count < all.size(); ++count) {
        if (asks_for_rest_in_another_type(problem.op, all, count)) {
            return count;
        }
    }
    return all.size();
}

Signature signature_of(const Problem& problem) {
    Signature signature = {problem.activations, {}};
    if (activations_of(problem) == problem.activations.size()) {
        std::ranges::copy(own_operands(problem.op, problem.activations),
                          std::back_inserter(signature.inputs));
    }
    signature.outputs = outputs_of(problem.op, tensors_of(signature.inputs));
    return signature;
}

std::string to_text(const Problem& problem) {
    std::vector<std::string> operands;
    for (const Operand& operand : problem.activations) {
        operands.push_back(operand_text(operand));
    }
    const std::string op = to_text(problem.op);
    const std::size_t name_end = type_of(problem.op).size();
    return fmt::format("{}({}){}", op.substr(0, name_end), join(operands, ", "),
                       op.substr(name_end));
}

Problem parse_problem(std::string_view text) {
    if (is_short_problem(text)) {
        return parse_short_problem(text);
    }
    const std::size_t open = text.find('(');
    const std::size_t close = text.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
        throw Error(
            fmt::format("\"{}\" is not a problem; write the operands' shapes after the operator, "
                        "as in \"activation(8x64) kind=relu\"",
                        printable(text)));
    }
    Problem problem;
    problem.op =
        parse_op(std::string(text.substr(0, open)) + " " + std::string(text.substr(close + 1)));
    for (const std::string_view operand : split(text.substr(open + 1, close - open - 1), ',')) {
        problem.activations.push_back(parse_operand(operand));
    }
    return problem;
}

}  // namespace strata
