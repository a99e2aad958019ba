// SPDX-License-Identifier: MIT
#include "op/operations.h"

#include <algorithm>

namespace strata {

Operations pick(const PassOperations& operations, const Signature&, Pass pass) {
    switch (pass) {
        case Pass::forward:
            return operations.forward;
        case Pass::backward_data:
            return operations.backward_data;
        case Pass::backward_weights:
            return operations.backward_weights;
        case Pass::update:
            break;  // the optimizer says: update_work
    }
    return {};
}

Operations times(double count, Operations each) {
    return each *= count;
}

double count_of(const Tensor& tensor) {
    return static_cast<double>(tensor.elements());
}

bool receives_gradient(const Operand& operand) {
    return (operand.role == Role::activation || operand.role == Role::input) &&
           is_floating(operand.tensor.dtype);
}

double gradient_elements(const Signature& signature) {
    double elements = 0;
    for (const Operand& operand : signature.inputs) {
        elements += receives_gradient(operand) ? count_of(operand.tensor) : 0;
    }
    return elements;
}

}  // namespace strata
