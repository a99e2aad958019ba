// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// What the operators' counts share.

// Arithmetic of the passes that differ from operator to operator.
struct PassOperations {
    Operations forward = {};
    Operations backward_data = {};
    Operations backward_weights = {};
};

// The count of one pass. The update is not the operator's but the optimizer's: `update_work`.
Operations pick(const PassOperations& operations, const Signature& signature, Pass pass);

// `each` operations, `count` times over.
Operations times(double count, Operations each);

// Elements as a count; exact up to 2^53.
double count_of(const Tensor& tensor);

// Whether d(loss)/d(operand) exists and backward_data computes it: activations and inputs of a
// floating type.
bool receives_gradient(const Operand& operand);

// Elements of all operands that backward_data gives a gradient.
double gradient_elements(const Signature& signature);

}  // namespace strata
