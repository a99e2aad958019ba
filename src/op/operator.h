// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"
#include "op/work.h"

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The sum behind one element of a result, for judging its rounding: `length` terms, each of about
// `magnitude`. A magnitude of 0 means no larger than the result itself.
struct SumShape {
    double length = 1;
    double magnitude = 0;

    // The smallest size of such a sum, unless its terms happen to cancel.
    double typical() const;
};

// A sum divided by its length: its terms are smaller than the value by that factor.
SumShape mean_of(double length, double value);

// A view of the inputs of one pass of one layer, dense and row-major.
struct OperandValues {
    const Signature& signature;
    std::vector<std::span<const float>> inputs;
    std::span<const float> output_gradient = {};  // of the first result; empty in the forward pass
    bool training = false;

    const Dims& input_dims(std::size_t operand) const {
        return signature.inputs[operand].tensor.dims;
    }
    double elements(std::size_t operand) const {
        return static_cast<double>(signature.inputs[operand].tensor.elements());
    }
    const Dims& output_dims() const { return signature.outputs[0].dims; }
    double output_elements() const { return static_cast<double>(signature.outputs[0].elements()); }

    // Root mean squares of an operand and of the gradient.
    double rms(std::size_t operand) const;
    double rms_gradient() const;
};

// The root mean square; 0 if there are no values.
double root_mean_square(std::span<const float> values);

// How to draw the values of a tensor that the network carries no values for.
enum class Distribution { zero, one, normal, uniform, positive, classes };

struct Draw {
    Distribution distribution = Distribution::uniform;
    // Standard deviation (normal), half-width around 0 (uniform), middle of an interval of width 1
    // (positive), number of classes.
    double extent = 1;

    bool operator==(const Draw&) const = default;
};

// Whether a tensor of this role belongs to the operator: parameters and running statistics.
constexpr bool is_owned(Role role) {
    return role == Role::parameter || role == Role::statistic;
}

// Normal with variance 2 / fan-in, the number of terms that one output sums (He et al. 2015).
Draw he_normal(std::int64_t fan_in);

// An operand other than an activation: a weight, bias, or running mean.
struct ParameterShape {
    std::string name;  // "weight", "bias", "scale", "shift", "mean", "variance", "labels"
    Tensor tensor;
    Role role = Role::parameter;
};

// The requirements on every operator. An operator is a plain struct of attributes with
//   type            the name used in text, JSON and messages
//   fields(o, v)    calls v(name, attribute) for each attribute: text, JSON and hashing use it
//   parameters(a)   the further operands that follow its given activations, in order
//   outputs(i)      the shape rule over all operands; throws Error if shapes do not fit
//   operations(s, p)   arithmetic of a pass, by kind
//   reads()         what its backward passes read again
// and, if the common rule does not fit,
//   kind_name()          a finer name than its type: "relu"; else the type
//   draw(s, operand)     how an operand's values are drawn; nothing, or else by the operand's name
//   rows_indexed(s, operand)   rows that an operand's values index; nothing: not an index
//   saved_bytes(s)       what forward leaves for backward; else by reads(), for each result
//   forward_sum(v)       the sum behind an element of the first result; else none
//   gradient_sum(v, operand)   the same for a gradient; else the result's gradient, times a slope
//   statistic_sum(v, operand)  the same for a renewed running statistic; else as long as forward's
// clang-format off: version 14 indents a concept as if it were code after it.
template <class T>
concept Operator = std::equality_comparable<T> &&
    requires(const T& op, std::span<const Tensor> tensors, const Signature& signature, Pass pass) {
    { T::type } -> std::convertible_to<std::string_view>;
    { op.parameters(tensors) } -> std::same_as<std::vector<ParameterShape>>;
    { op.outputs(tensors) } -> std::same_as<std::vector<Tensor>>;
    { op.operations(signature, pass) } -> std::same_as<Operations>;
    { op.reads() } -> std::same_as<BackwardReads>;
};
// clang-format on

}  // namespace strata
