// SPDX-License-Identifier: MIT
#include "op/recurrent.h"

#include "op/rules.h"

#include <fmt/format.h>

#include <cmath>

namespace strata {

namespace {

std::int64_t directions_of(const Recurrent& op) {
    return op.direction == Direction::bidirectional ? 2 : 1;
}

std::int64_t gates_of(const Recurrent& op) {
    switch (op.cell) {
        case CellKind::rnn_tanh:
        case CellKind::rnn_relu:
            return 1;
        case CellKind::lstm:
            return 4;
        case CellKind::gru:
            return 3;
    }
    return 1;
}

std::size_t states_of(const Recurrent& op) {
    return op.cell == CellKind::lstm ? 2 : 1;
}

std::int64_t bias_blocks_of(const Recurrent& op) {
    return gates_of(op) + (op.cell == CellKind::gru && op.reset_after ? 1 : 0);
}

Dims state_dims(const Recurrent& op, const Tensor& x) {
    return {op.layers * directions_of(op), x.dims[1], op.hidden};
}

// Activations among the operands: the sequence, and the initial states if there are enough
// operands.
std::size_t activations_among(const Recurrent& op, std::size_t operands) {
    const auto cells = static_cast<std::size_t>(op.layers * directions_of(op));
    const std::size_t parameters = cells * (op.bias ? 3 : 2);
    return operands > parameters ? operands - parameters : 0;
}

// One cell's element-wise arithmetic per hidden unit, including the sums of the two products.
PassOperations per_unit(const Recurrent& op) {
    switch (op.cell) {
        case CellKind::rnn_tanh:  // dz = dh (1 - h^2)
            return {.forward = {.adds = 1, .transcendentals = 1},
                    .backward_data = {.multiply_adds = 1, .multiplies = 1}};
        case CellKind::rnn_relu:
            return {.forward = {.adds = 1, .compares = 1}, .backward_data = {.compares = 1}};
        case CellKind::lstm:  // three logistic functions, two tanh; c' and h'
            return {.forward = {.multiply_adds = 1,
                                .adds = 7,
                                .multiplies = 2,
                                .divides = 3,
                                .transcendentals = 5},
                    .backward_data = {.multiply_adds = 3, .adds = 4, .multiplies = 12}};
        case CellKind::gru:  // two logistic functions, one tanh; h' = n + z (h - n)
            return {.forward = {.multiply_adds = 1,
                                .adds = 6,
                                .multiplies = 1,
                                .divides = 2,
                                .transcendentals = 3},
                    .backward_data = {.multiply_adds = 2, .adds = 4, .multiplies = 9}};
    }
    return {};
}

void require_attributes(const Recurrent& op, const Tensor& x) {
    if (x.dims.size() != 3) {
        refuse(Recurrent::type, fmt::format("input {} is not [time, batch, features]; transpose or "
                                            "reshape it",
                                            to_text(x.dims)));
    }
    require_positive(Recurrent::type, "hidden", op.hidden);
    require_positive(Recurrent::type, "layers", op.layers);
    constexpr std::int64_t max_layers = 1 << 12;
    if (op.layers > max_layers) {
        refuse(Recurrent::type,
               fmt::format("{} layers exceed the limit of {}", op.layers, max_layers));
    }
}

// "_l0", or "_l0_reverse" for the reverse one of two directions.
std::string suffix(std::int64_t layer, std::int64_t direction) {
    return fmt::format("_l{}{}", layer, direction == 0 ? "" : "_reverse");
}

}  // namespace

std::vector<ParameterShape> Recurrent::parameters(std::span<const Tensor> activations) const {
    require_operands(type, activations, 1, 1 + states_of(*this));
    const Tensor& x = activations[0];
    require_attributes(*this, x);
    const std::int64_t gates = gates_of(*this);
    std::vector<ParameterShape> shapes;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        const std::int64_t width = layer == 0 ? x.dims[2] : directions_of(*this) * hidden;
        for (std::int64_t d = 0; d < directions_of(*this); ++d) {
            const std::string end = suffix(layer, d);
            shapes.push_back(
                {"weight_input" + end, shaped(type, {gates * hidden, width}, x.dtype)});
            shapes.push_back(
                {"weight_hidden" + end, shaped(type, {gates * hidden, hidden}, x.dtype)});
            if (bias) {
                shapes.push_back({"bias" + end, {{bias_blocks_of(*this) * hidden}, x.dtype}});
            }
        }
    }
    return shapes;
}

std::vector<Tensor> Recurrent::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 3, any_number);
    require_attributes(*this, inputs[0]);
    const Tensor& x = inputs[0];
    const std::size_t activations = activations_among(*this, inputs.size());
    if (activations != 1 && activations != 1 + states_of(*this)) {
        refuse(type, fmt::format("it has {} operands, which leaves {} activations; give the "
                                 "sequence, or it and {} first states",
                                 inputs.size(), activations, states_of(*this)));
    }
    const Dims state = state_dims(*this, x);
    for (const Tensor& first : inputs.subspan(1, activations - 1)) {
        if (first.dims != state) {
            refuse(type,
                   fmt::format("first state {} is not {}", to_text(first.dims), to_text(state)));
        }
    }
    require_parameters(type, inputs.subspan(activations), parameters(inputs.first(activations)));
    std::vector<Tensor> results = {
        shaped(type, {x.dims[0], x.dims[1], directions_of(*this) * hidden}, x.dtype)};
    if (final_state) {
        results.resize(1 + states_of(*this), shaped(type, state, x.dtype));
    }
    return results;
}

// Each weight is used once for every position of the sequence in each pass: the nominal count,
// which includes the first step's product with a zero state.
Operations Recurrent::operations(const Signature& signature, Pass pass) const {
    const Tensor& x = signature.inputs[0].tensor;
    const double positions = static_cast<double>(x.dims[0]) * static_cast<double>(x.dims[1]);
    double products = 0, biases = 0;
    for (const Operand& operand : signature.inputs) {
        if (operand.role == Role::parameter) {
            const bool weight = operand.tensor.dims.size() == 2;
            (weight ? products : biases) += positions * count_of(operand.tensor);
        }
    }
    const double units = positions * static_cast<double>(layers * directions_of(*this) * hidden);
    PassOperations all = per_unit(*this);
    all.forward = times(units, all.forward);
    all.forward.multiply_adds += products;
    all.forward.bias_adds = biases;
    all.backward_data = times(units, all.backward_data);
    all.backward_data.multiply_adds += products;
    all.backward_weights = {.multiply_adds = products, .bias_adds = biases};
    return pick(all, signature, pass);
}

// Backpropagation through time needs, besides the results, the gate values and an LSTM's cell or a
// GRU's product for each result, in f32 whatever the network's type. A GRU and a bidirectional
// layer also keep dense states, and layers below the last their results.
BackwardReads Recurrent::reads() const {
    const bool dense_states = cell == CellKind::gru || direction == Direction::bidirectional;
    const std::int64_t further = cell == CellKind::lstm || cell == CellKind::gru ? 1 : 0;
    const std::int64_t kept = gates_of(*this) + further + (dense_states ? 1 : 0);
    return {.input_for_data = true,
            .output_for_data = true,
            .parameters_for_data = true,
            .input_for_weights = true,
            .saved_bytes_per_output = 4.0 * static_cast<double>(layers * kept + layers - 1),
            .data_before_weights = true};
}

// Gates, cells and states are kept for the whole sequence, not only the final states.
Bytes Recurrent::saved_bytes(const Signature& signature) const {
    return {reads().saved_bytes_per_output * count_of(signature.outputs[0])};
}

std::string Recurrent::kind_name() const {
    return std::string(names_of(cell)[static_cast<std::size_t>(cell)]);
}

// PyTorch's initialisation.
std::optional<Draw> Recurrent::draw(const Signature& signature, std::size_t operand) const {
    if (!is_owned(signature.inputs[operand].role)) {
        return {};
    }
    return Draw{Distribution::uniform, 1 / std::sqrt(static_cast<double>(hidden))};
}

// The rounding error of one step reaches every later one: products of all steps count as one long
// sum.
SumShape Recurrent::forward_sum(const OperandValues& values) const {
    const Dims& x = values.input_dims(0);
    return {.length = static_cast<double>(hidden + x[2]) * static_cast<double>(x[0] * layers)};
}

// Parameters sum over the batch as well. The gradient of a state that a long sequence has forgotten
// is small against the sum that it is part of.
SumShape Recurrent::gradient_sum(const OperandValues& values, std::size_t operand) const {
    const bool trained = values.signature.inputs[operand].role == Role::parameter;
    const double summed = trained ? static_cast<double>(values.input_dims(0)[1]) : 1;
    return mean_of(forward_sum(values).length * summed, values.rms_gradient());
}

}  // namespace strata
