// SPDX-License-Identifier: MIT
#include "graph/executed.h"

namespace strata {

bool renames_input(const Op& op, Pass pass, Mode mode) {
    const bool is_idle = std::holds_alternative<Dropout>(op) && mode == Mode::inference;
    return pass != Pass::update &&
           (is_idle || std::holds_alternative<Reshape>(op) || std::holds_alternative<Identity>(op));
}

DataType held_type(DataType own, Role role, const Numerics& numerics) {
    if (!is_floating(own)) {
        return own;
    }
    switch (role) {
        case Role::input:
        case Role::activation:
            return numerics.dtype;
        case Role::parameter:
            if (numerics.mode == Mode::training) {
                return own;
            }
            [[fallthrough]];
        case Role::constant:
            return size_in_bytes(numerics.dtype) < size_in_bytes(own) ? numerics.dtype : own;
        case Role::label:
        case Role::statistic:
            break;
    }
    return own;
}

Bytes held_bytes(const GraphTensor& tensor, const Numerics& numerics) {
    Tensor held = tensor.tensor;
    held.dtype = held_type(held.dtype, tensor.role, numerics);
    return held.bytes();
}

Signature executed(Signature signature, const Numerics& numerics) {
    for (Operand& operand : signature.inputs) {
        operand.tensor.dtype = held_type(operand.tensor.dtype, operand.role, numerics);
    }
    return executed(std::move(signature), numerics.dtype);
}

}  // namespace strata
