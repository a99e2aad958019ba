// SPDX-License-Identifier: MIT
#include "op/reduction.h"

#include "op/rules.h"

#include <cmath>

namespace strata {

namespace {

// The arithmetic per element of the input.
Operations each_of(ReductionKind kind) {
    switch (kind) {
        case ReductionKind::sum:
        case ReductionKind::mean:
        case ReductionKind::log_sum:
            return {.adds = 1};
        case ReductionKind::maximum:
        case ReductionKind::minimum:
            return {.compares = 1};
        case ReductionKind::product:
            return {.multiplies = 1};
        case ReductionKind::sum_of_squares:
        case ReductionKind::l2:
            return {.multiply_adds = 1};
        case ReductionKind::l1:
            return {.adds = 1, .compares = 1};
        case ReductionKind::log_sum_exp:
            return {.adds = 2, .compares = 1, .transcendentals = 1};
    }
    return {};
}

// The arithmetic per element of the output, after the sum over the input.
Operations last_of(ReductionKind kind) {
    switch (kind) {
        case ReductionKind::mean:
            return {.divides = 1};
        case ReductionKind::l2:
        case ReductionKind::log_sum:
            return {.transcendentals = 1};
        case ReductionKind::log_sum_exp:
            return {.adds = 1, .transcendentals = 1};
        default:
            return {};
    }
}

// Per element of the input: a sum hands its gradient on, a mean scales it once per output.
Operations gradient_of(ReductionKind kind) {
    switch (kind) {
        case ReductionKind::sum:
        case ReductionKind::mean:
        case ReductionKind::log_sum:
            return {};
        case ReductionKind::maximum:
        case ReductionKind::minimum:
        case ReductionKind::l1:
            return {.compares = 1};
        case ReductionKind::product:
            return {.multiplies = 1, .divides = 1};
        case ReductionKind::sum_of_squares:
        case ReductionKind::l2:
            return {.multiplies = 1};
        case ReductionKind::log_sum_exp:
            return {.adds = 1, .multiplies = 1, .transcendentals = 1};
    }
    return {};
}

}  // namespace

std::vector<ParameterShape> Reduction::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Reduction::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    const Dims x =
        shaped(type, inputs[0].dims, inputs[0].dtype).dims;  // an empty set has no maximum
    std::vector<bool> reduced(x.size(), axes.empty());
    for (const std::int64_t axis : axes) {
        reduced[axis_index(type, axis, x.size())] = true;
    }
    Dims dims;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!reduced[i]) {
            dims.push_back(x[i]);
        } else if (keep_axes) {
            dims.push_back(1);
        }
    }
    return {shaped(type, dims, inputs[0].dtype)};
}

Operations Reduction::operations(const Signature& signature, Pass pass) const {
    const double elements = count_of(signature.inputs[0].tensor);
    Operations forward = times(elements, each_of(kind));
    forward += times(count_of(signature.outputs[0]), last_of(kind));
    Operations backward = times(elements, gradient_of(kind));
    backward += times(count_of(signature.outputs[0]), last_of(kind));
    return pick({.forward = forward, .backward_data = backward, .backward_weights = backward},
                signature, pass);
}

BackwardReads Reduction::reads() const {
    const bool linear = kind == ReductionKind::sum || kind == ReductionKind::mean;
    const bool from_both = kind != ReductionKind::l1 && kind != ReductionKind::sum_of_squares;
    return {.input_for_data = !linear, .output_for_data = !linear && from_both};
}

std::string Reduction::kind_name() const {
    return "reduce_" + std::string(names_of(kind)[static_cast<std::size_t>(kind)]);
}

std::optional<Draw> Reduction::draw(const Signature&, std::size_t) const {
    return kind == ReductionKind::log_sum ? std::optional(Draw{Distribution::positive})
                                          : std::nullopt;
}

// Sums and means can cancel. A log-sum-exp is a sum of two: the largest term and the logarithm of
// how many terms are near it.
SumShape Reduction::forward_sum(const OperandValues& values) const {
    const double terms = values.elements(0) / values.output_elements();
    switch (kind) {
        case ReductionKind::maximum:
        case ReductionKind::minimum:
            return {};
        case ReductionKind::sum:
            return {terms, values.rms(0)};
        case ReductionKind::mean:
            return {terms, values.rms(0) / terms};
        case ReductionKind::log_sum_exp:
            return mean_of(terms, values.rms(0) + std::log(terms));
        default:
            return {.length = terms};
    }
}

// A term's gradient is the result's gradient times a factor that depends on all terms.
SumShape Reduction::gradient_sum(const OperandValues& values, std::size_t) const {
    const bool chooses = kind == ReductionKind::maximum || kind == ReductionKind::minimum;
    return {.length = chooses ? 1 : values.elements(0) / values.output_elements()};
}

}  // namespace strata
