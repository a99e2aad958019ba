// SPDX-License-Identifier: MIT
#include "op/lrn.h"

#include "op/rules.h"

namespace strata {

std::vector<ParameterShape> Lrn::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Lrn::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    require_rank(type, inputs[0], 2);
    require_positive(type, "size", size);
    return {shaped(type, inputs[0].dims, inputs[0].dtype)};
}

// Forward, per element: `size` squares and their sum from 0, times alpha / size, plus k, to the
// power -beta, and the quotient: 2 size + 4, for size 5 the 14 of Dong et al. 2018. Backward, with
// s the scale recomputed as above and y = x / s^beta: dx = dy / s^beta - 2 alpha beta / size * x *
// sum(dy * y / s).
Operations Lrn::operations(const Signature& signature, Pass pass) const {
    const auto neighbours = static_cast<double>(size);
    const Operations forward = {
        .adds = neighbours + 1, .multiplies = neighbours + 1, .divides = 1, .transcendentals = 1};
    const Operations backward = {.multiply_adds = 1,
                                 .adds = 2 * neighbours + 1,
                                 .multiplies = neighbours + 5,
                                 .divides = 1,
                                 .transcendentals = 1};
    const double elements = count_of(signature.outputs[0]);
    return pick({.forward = times(elements, forward), .backward_data = times(elements, backward)},
                signature, pass);
}

BackwardReads Lrn::reads() const {
    return {.input_for_data = true};
}

SumShape Lrn::gradient_sum(const OperandValues& values, std::size_t) const {
    return {static_cast<double>(size), values.rms_gradient()};
}

}  // namespace strata
