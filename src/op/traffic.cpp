// SPDX-License-Identifier: MIT
#include "op/traffic.h"

#include "op/operations.h"

#include <algorithm>

namespace strata {

namespace {

template <class Chosen>
Bytes bytes_where(const std::vector<Operand>& operands, Chosen chosen) {
    Bytes sum;
    for (const Operand& operand : operands) {
        sum += chosen(operand) ? operand.tensor.bytes() : Bytes{};
    }
    return sum;
}

Bytes output_bytes(const Signature& signature) {
    Bytes sum;
    for (const Tensor& output : signature.outputs) {
        sum += output.bytes();
    }
    return sum;
}

bool is_parameter(const Operand& operand) {
    return operand.role == Role::parameter;
}

// Values that flow through the network, as against what the operator owns.
bool is_data(const Operand& operand) {
    return operand.role != Role::parameter && operand.role != Role::statistic;
}

// The weights, or else the scale. Biases and shifts stand behind it, and no gradient depends on
// them.
Bytes weight_bytes(const Signature& signature) {
    const auto is_weight = [](const Operand& operand) {
        return is_parameter(operand) && operand.tensor.dims.size() > 1;
    };
    if (std::ranges::any_of(signature.inputs, is_weight)) {
        return bytes_where(signature.inputs, is_weight);
    }
    const auto found = std::ranges::find_if(signature.inputs, is_parameter);
    return found == signature.inputs.end() ? Bytes{} : found->tensor.bytes();
}

// Data operands read for the data gradients. Of a product, an operand that alone receives a
// gradient is not read.
Bytes data_read(const BackwardReads& reads, const Signature& signature) {
    const auto receivers = std::ranges::count_if(signature.inputs, receives_gradient);
    return bytes_where(signature.inputs, [&](const Operand& operand) {
        const bool only_receiver = receivers == 1 && receives_gradient(operand);
        return is_data(operand) && !(reads.only_others_for_data && only_receiver);
    });
}

Traffic backward_data(const BackwardReads& reads, const Signature& signature, Bytes saved) {
    Bytes read = output_bytes(signature) + saved;
    read += reads.input_for_data ? data_read(reads, signature) : Bytes{};
    read += reads.output_for_data ? output_bytes(signature) : Bytes{};
    read += reads.parameters_for_data ? weight_bytes(signature) : Bytes{};
    return {read, bytes_where(signature.inputs, receives_gradient)};
}

Traffic backward_weights(const BackwardReads& reads, const Signature& signature) {
    Bytes read = output_bytes(signature);
    read += reads.input_for_weights ? bytes_where(signature.inputs, is_data) : Bytes{};
    return {read, bytes_where(signature.inputs, is_parameter)};
}

}  // namespace

Traffic traffic_of(const BackwardReads& reads, const Signature& signature, Pass pass, Bytes saved) {
    switch (pass) {
        case Pass::forward:
            return {bytes_where(signature.inputs, [](const Operand&) { return true; }),
                    output_bytes(signature)};
        case Pass::backward_data:
            return backward_data(reads, signature, saved);
        case Pass::backward_weights:
            return backward_weights(reads, signature);
        case Pass::update:
            break;  // the optimizer says: update_work
    }
    return {};
}

}  // namespace strata
