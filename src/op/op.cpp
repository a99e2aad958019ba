// SPDX-License-Identifier: MIT
#include "op/op.h"

#include "op/operations.h"
#include "op/saved_bytes.h"
#include "op/traffic.h"

#include <algorithm>

namespace strata {

namespace {

template <class Enumeration>
std::string name_in(Enumeration value) {
    return std::string(names_of(value).at(static_cast<std::size_t>(value)));
}

template <class T>
std::string variant_name(const T&) {
    return std::string(T::type);
}

std::string variant_name(const Activation& activation) {
    return name_in(activation.kind);
}

std::string variant_name(const Elementwise& elementwise) {
    return name_in(elementwise.kind);
}

std::string variant_name(const Unary& unary) {
    return name_in(unary.kind);
}

std::string variant_name(const Reduction& reduction) {
    return "reduce_" + name_in(reduction.kind);
}

std::string variant_name(const Recurrent& recurrent) {
    return name_in(recurrent.cell);
}

std::string variant_name(const LayerNormalization& normalization) {
    return normalization.kind == NormalizationKind::standard ? "layer_normalization"
                                                             : "rms_normalization";
}

std::string variant_name(const Pooling& pooling) {
    return (pooling.global ? "global_" : "") + name_in(pooling.kind) + "_pooling";
}

std::string variant_name(const Softmax& softmax) {
    return softmax.logarithm ? "log_softmax" : "softmax";
}

std::string variant_name(const Opaque& opaque) {
    return opaque.foreign_type;
}

bool moves_nothing(const Op& op) {
    return std::holds_alternative<Reshape>(op) || std::holds_alternative<Opaque>(op);
}

}  // namespace

std::string_view type_of(const Op& op) {
    return std::visit([](const auto& one) { return one.type; }, op);
}

std::string kind_of(const Op& op) {
    return std::visit([](const auto& one) { return variant_name(one); }, op);
}

std::vector<ParameterShape> parameters_of(const Op& op, std::span<const Tensor> activations) {
    return std::visit([&](const auto& one) { return one.parameters(activations); }, op);
}

std::vector<Tensor> outputs_of(const Op& op, std::span<const Tensor> inputs) {
    return std::visit([&](const auto& one) { return one.outputs(inputs); }, op);
}

BackwardReads reads_of(const Op& op) {
    return std::visit([](const auto& one) { return one.reads(); }, op);
}

bool has_pass(const Op& op, const Signature& signature, Pass pass) {
    if (pass == Pass::forward) {
        return true;
    }
    if (std::holds_alternative<Opaque>(op)) {
        return false;
    }
    if (pass == Pass::backward_data) {
        return std::ranges::any_of(signature.inputs, receives_gradient);
    }
    return std::ranges::find(signature.inputs, Role::parameter, &Operand::role) !=
           signature.inputs.end();
}

Work work_of(const Op& op, const Signature& signature, Pass pass, const UpdateCost& update) {
    if (!has_pass(op, signature, pass)) {
        return {};
    }
    if (pass == Pass::update) {
        return update_work(signature, update);
    }
    Work work;
    work.operations =
        std::visit([&](const auto& one) { return one.operations(signature, pass); }, op);
    if (!moves_nothing(op)) {
        const auto [read, written] =
            traffic_of(reads_of(op), signature, pass, saved_bytes_of(op, signature));
        work.read = read;
        work.written = written;
    }
    return work;
}

}  // namespace strata
