// SPDX-License-Identifier: MIT
#include "op/cross_entropy.h"

#include "op/rules.h"

#include <fmt/format.h>

namespace strata {

// A builder may pass the labels as an activation operand or have them created.
std::vector<ParameterShape> SoftmaxCrossEntropy::parameters(
    std::span<const Tensor> activations) const {
    require_operands(type, activations, 1, 2);
    require_rank(type, activations[0], 2);
    if (activations.size() == 2) {
        return {};
    }
    return {{"labels", {{activations[0].dims[0]}, DataType::s64}, Role::label}};
}

std::vector<Tensor> SoftmaxCrossEntropy::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 2, 2);
    const Tensor& x = inputs[0];
    if (x.dims.size() != 2 || inputs[1].dims != Dims{x.dims[0]}) {
        refuse(type, fmt::format("logits {} and labels {} do not fit; use [N,C] and [N]",
                                 to_text(x.dims), to_text(inputs[1].dims)));
    }
    shaped(type, x.dims, x.dtype);
    return {Tensor{{}, x.dtype}};
}

// Forward: maximum, difference, exponential and sum per element; per image a logarithm, the
// subtraction of the label's logit and the sum of the mean; one quotient. Backward: the softmax
// again (5 per element), one multiply by 1 / N, and per image the label's 1 subtracted.
Operations SoftmaxCrossEntropy::operations(const Signature& signature, Pass pass) const {
    const Tensor& x = signature.inputs[0].tensor;
    const double elements = count_of(x);
    const auto images = static_cast<double>(x.dims[0]);
    Operations forward = times(elements, {.adds = 2, .compares = 1, .transcendentals = 1});
    forward += times(images, {.adds = 2, .transcendentals = 1});
    forward.divides += 1;
    Operations backward = times(
        elements, {.adds = 2, .multiplies = 1, .divides = 1, .compares = 1, .transcendentals = 1});
    backward.adds += images;
    return pick({.forward = forward, .backward_data = backward}, signature, pass);
}

BackwardReads SoftmaxCrossEntropy::reads() const {
    return {.input_for_data = true};
}

SumShape SoftmaxCrossEntropy::gradient_sum(const OperandValues& values, std::size_t) const {
    return {.length = static_cast<double>(values.input_dims(0)[1])};
}

}  // namespace strata
