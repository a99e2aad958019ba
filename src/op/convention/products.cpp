// SPDX-License-Identifier: MIT
#include "op/convention/products.h"

#include "op/operations.h"

namespace strata {

namespace {

// Operators whose multiply-adds are all of products. Attention has one more for each score
// backward.
bool is_product(const Op& op) {
    return std::holds_alternative<Convolution>(op) ||
           std::holds_alternative<TransposedConvolution>(op) ||
           std::holds_alternative<FullyConnected>(op) || std::holds_alternative<MatMul>(op);
}

// Each weight of a recurrent cell meets every position of the sequence once; what its gates do
// element by element is left out.
double recurrent_products(const Signature& signature) {
    const Dims& x = signature.inputs[0].tensor.dims;
    double weights = 0;
    for (const Operand& operand : signature.inputs) {
        const bool weight = operand.role == Role::parameter && operand.tensor.dims.size() == 2;
        weights += weight ? count_of(operand.tensor) : 0;
    }
    return static_cast<double>(x[0]) * static_cast<double>(x[1]) * weights;
}

// Two products forward; each has two gradients.
double attention_products(const Op& op, const Signature& signature, Pass pass) {
    const double forward = work_of(op, signature, Pass::forward).operations.multiply_adds;
    return pass == Pass::forward ? forward : 2 * forward;
}

double products_of(const Op& op, const Signature& signature, Pass pass) {
    if (is_product(op)) {
        return work_of(op, signature, pass).operations.multiply_adds;
    }
    if (std::holds_alternative<Recurrent>(op)) {
        return recurrent_products(signature);
    }
    if (std::holds_alternative<Attention>(op)) {
        return attention_products(op, signature, pass);
    }
    return 0;
}

}  // namespace

bool products_only(const Op& op, const Signature& signature, Pass pass, Flops& flops) {
    const bool counts = pass != Pass::update && has_pass(op, signature, pass);
    flops = Flops{counts ? 2 * products_of(op, signature, pass) : 0};
    return true;
}

}  // namespace strata
