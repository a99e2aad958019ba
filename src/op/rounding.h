// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

#include <vector>

namespace strata {

// The sum behind one element of a result, for judging its rounding: `length` terms, each of about
// `magnitude`. A magnitude of 0: no larger than the result itself.
struct SumShape {
    double length = 1;
    double magnitude = 0;

    // The least size of such a sum, unless its terms happen to cancel.
    double typical() const;
};

// A sum that is divided by its length: its terms are smaller than the value by as much.
SumShape mean_of(double length, double value);

// The values that one pass of one layer computes from, dense and row-major. A view.
struct OperandValues {
    const Signature& signature;
    std::vector<std::span<const float>> inputs;
    std::span<const float> output_gradient = {};  // of the first result; empty in a forward pass
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

// The root of the mean square; 0 for nothing.
double root_mean_square(std::span<const float> values);

}  // namespace strata
