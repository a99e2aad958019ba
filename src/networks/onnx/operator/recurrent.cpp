// SPDX-License-Identifier: MIT
#include "networks/onnx/operator/recurrent.h"

#include "base/error.h"
#include "networks/onnx/node/composition.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"

#include <fmt/format.h>

namespace strata {

namespace {

struct CellNode {
    const NodeImport& node;
    Recurrent op;
    CellLayout layout;
    std::int64_t directions = 1;
};

Direction direction_of(const NodeImport& node) {
    const auto found = std::ranges::find(onnx_directions, node.text("direction", "forward"));
    unsupported_if(found == onnx_directions.end(), "its direction is not supported");
    return static_cast<Direction>(found - onnx_directions.begin());
}

void require_plain_cell(const CellNode& cell) {
    const NodeImport& node = cell.node;
    unsupported_if(node.has_attribute("clip") || node.integer("input_forget", 0) != 0,
                   "clipped cells and coupled gates are not supported");
    unsupported_if(node.has_input(7), "peepholes are not supported");
    const auto given = node.texts("activations");
    for (std::size_t i = 0; i < given.size(); ++i) {
        unsupported_if(given[i] != cell.layout.activations[i % cell.layout.activations.size()],
                       "its activations are not the usual ones");
    }
}

// Every sequence must have the full length.
void require_whole_sequences(const NodeImport& node, std::int64_t length) {
    if (!node.has_input(4)) {
        return;
    }
    for (const std::int64_t given : node.integers_of_input(4)) {
        unsupported_if(given != length, "sequences of different lengths are not supported");
    }
}

CellNode cell_of(const NodeImport& node, CellKind kind) {
    const Dims& weights = node.known(2).tensor.dims;  // [directions, gates * hidden, hidden]
    if (weights.size() != 3 || node.known(1).tensor.dims.size() != 3 ||
        node.input(0).dims.size() != 3) {
        throw Error("its sequence and weights must have three axes each");
    }
    Recurrent op;
    op.cell = kind;
    op.hidden = weights[2];
    op.direction = direction_of(node);
    op.bias = node.has_input(3);
    op.reset_after = kind == CellKind::gru && node.integer("linear_before_reset", 0) != 0;
    op.final_state = node.is_used(1) || node.is_used(2);
    return {node, op, layout_of(kind), op.direction == Direction::bidirectional ? 2 : 1};
}

void require_dims(const NodeImport& node, std::size_t i, const Dims& wanted) {
    if (node.input(i).dims != wanted) {
        throw Error(fmt::format("its input {} is {} where the others need {}", i,
                                to_text(node.input(i).dims), to_text(wanted)));
    }
}

// One direction's matrix, with its row blocks in our order.
TensorId weight_of(const CellNode& cell, std::size_t input, std::int64_t direction) {
    const Constant& all = cell.node.known(input);
    const auto hidden = static_cast<std::size_t>(cell.op.hidden);
    const auto columns = static_cast<std::size_t>(all.tensor.dims[2]);
    const std::size_t gates = cell.layout.gates;
    require_dims(
        cell.node, input,
        {cell.directions, static_cast<std::int64_t>(gates) * cell.op.hidden, all.tensor.dims[2]});
    const auto size = static_cast<std::size_t>(size_in_bytes(all.tensor.dtype));
    const std::size_t block = hidden * columns * size;
    const std::size_t start = static_cast<std::size_t>(direction) * gates * block;
    cell.node.spend(is_uniform(all) ? 1 : static_cast<std::int64_t>(gates * hidden * columns));
    std::vector<std::byte> bytes;
    for (std::size_t gate = 0; gate < gates && !is_uniform(all); ++gate) {
        const auto from = all.data.bytes.subspan(start + cell.layout.blocks[gate] * block, block);
        bytes.insert(bytes.end(), from.begin(), from.end());
    }
    Constant one = is_uniform(all) ? all : constant_of(all.tensor, std::move(bytes));
    one.tensor.dims.erase(one.tensor.dims.begin());
    return cell.node.operand(input, std::to_string(direction), std::move(one), Role::parameter);
}

// The sum of ONNX's two biases. If the reset gate is applied after the product, the last block of
// the second bias stays separate.
TensorId bias_of(const CellNode& cell, std::int64_t direction) {
    const Constant& all = cell.node.known(3);
    const auto gates = static_cast<std::int64_t>(cell.layout.gates);
    const std::int64_t hidden = cell.op.hidden;
    require_dims(cell.node, 3, {cell.directions, 2 * gates * hidden});
    if (!is_small({2 * gates, hidden})) {
        throw Unsupported{fmt::format("{} hidden features are too many", hidden)};
    }
    cell.node.spend(2 * gates * hidden);
    const auto at = [&](std::int64_t gate, std::int64_t i) {
        return number_at(all, (direction * 2 * gates + gate) * hidden + i);
    };
    std::vector<double> sums;
    for (std::int64_t gate = 0; gate < gates; ++gate) {
        const auto from =
            static_cast<std::int64_t>(cell.layout.blocks[static_cast<std::size_t>(gate)]);
        const bool apart = cell.op.reset_after && gate == gates - 1;
        for (std::int64_t i = 0; i < hidden; ++i) {
            sums.push_back(at(from, i) + (apart ? 0 : at(gates + from, i)));
        }
    }
    for (std::int64_t i = 0; cell.op.reset_after && i < hidden; ++i) {
        sums.push_back(at(2 * gates - 1, i));
    }
    return cell.node.operand(3, std::to_string(direction),
                             constant_of({{std::ssize(sums)}, all.tensor.dtype}, sums),
                             Role::parameter);
}

bool is_zero(const NodeImport& node, std::size_t i) {
    const Constant* state = node.constant(i);
    if (!state || (!is_uniform(*state) && !is_small(state->tensor.dims))) {
        return false;
    }
    const std::int64_t count = is_uniform(*state) ? 1 : state->tensor.elements();
    node.spend(count);
    for (std::int64_t element = 0; element < count; ++element) {
        if (number_at(*state, element) != 0) {
            return false;
        }
    }
    return true;
}

// The initial states, batch first if the node has that layout; none if all are zero.
std::vector<TensorId> first_states(const CellNode& cell, Composition& steps, bool batch_first) {
    const std::size_t states = cell.op.cell == CellKind::lstm ? 2 : 1;
    std::vector<TensorId> result;
    bool all_zero = true;
    for (std::size_t i = 5; i < 5 + states; ++i) {
        all_zero &= !cell.node.has_input(i) || is_zero(cell.node, i);
    }
    if (all_zero) {
        return {};
    }
    const Dims& x = cell.node.input(0).dims;
    for (std::size_t i = 5; i < 5 + states; ++i) {
        if (!cell.node.has_input(i)) {
            const Dims dims = {cell.directions, batch_first ? x[0] : x[1], cell.op.hidden};
            Constant zero = constant_of({{1}, DataType::f32}, std::array{0.0});
            zero.tensor.dims = dims;
            result.push_back(steps.constant(std::move(zero)));
        } else {
            const TensorId state = cell.node.operand(i, Role::constant);
            result.push_back(batch_first ? steps.transpose(state, {1, 0, 2}) : state);
        }
    }
    return result;
}

// y[T,N,D*H] -> Y[T,D,N,H], or with the batch first Y[N,T,D,H].
void give_sequence(const CellNode& cell, Composition& steps, TensorId y, bool batch_first) {
    const Dims dims = steps.dims(y);
    const Dims wide = {dims[0], dims[1], cell.directions, cell.op.hidden};
    if (cell.directions == 1 && !batch_first) {
        return cell.node.result_of(0, "y", Reshape{.dims = {dims[0], 1, dims[1], cell.op.hidden}},
                                   {y});
    }
    const TensorId split = steps.reshape(y, wide);
    const Dims order = batch_first ? Dims{1, 0, 2, 3} : Dims{0, 2, 1, 3};
    cell.node.result_of(0, "y", Transpose{.permutation = order}, {split});
}

// The last states are the node's own outputs unless their axes must be swapped.
std::vector<std::string> result_names(const CellNode& cell, bool batch_first) {
    const NodeImport& node = cell.node;
    std::vector<std::string> names = {fmt::format("{}.sequence", node.name())};
    for (std::size_t i = 1; i < 3; ++i) {
        const bool is_own = node.is_used(i) && !batch_first;
        names.push_back(is_own ? std::string(node.node().outputs[i])
                               : fmt::format("{}.last{}", node.name(), i));
    }
    return names;
}

CellKind kind_of_cell(const NodeImport& node) {
    if (node.node().op_type != "RNN") {
        return node.node().op_type == "LSTM" ? CellKind::lstm : CellKind::gru;
    }
    const auto activations = node.texts("activations");
    const bool by_relu = !activations.empty() && activations[0] == "Relu";
    return by_relu ? CellKind::rnn_relu : CellKind::rnn_tanh;
}

void convert_recurrent(const NodeImport& node) {
    const CellNode cell = cell_of(node, kind_of_cell(node));
    require_plain_cell(cell);
    const bool batch_first = node.integer("layout", 0) != 0;
    require_whole_sequences(node, node.input(0).dims[batch_first ? 1 : 0]);
    Composition steps(node);
    const TensorId x = node.operand(0);
    std::vector<TensorId> operands = {batch_first ? steps.transpose(x, {1, 0, 2}) : x};
    const auto states = first_states(cell, steps, batch_first);
    operands.insert(operands.end(), states.begin(), states.end());
    for (std::int64_t direction = 0; direction < cell.directions; ++direction) {
        operands.push_back(weight_of(cell, 1, direction));
        operands.push_back(weight_of(cell, 2, direction));
        if (cell.op.bias) {
            operands.push_back(bias_of(cell, direction));
        }
    }
    const std::vector<std::string> names = result_names(cell, batch_first);
    const auto results = node.add_whole(cell.op, std::move(operands), names);
    if (node.is_used(0)) {
        give_sequence(cell, steps, results.at(0), batch_first);
    }
    for (std::size_t i = 1; i < results.size(); ++i) {
        if (node.is_used(i) && batch_first) {
            node.result_of(i, "state" + std::to_string(i), Transpose{.permutation = {1, 0, 2}},
                           {results[i]});
        } else if (node.is_used(i)) {
            node.give(i, results[i]);
        }
    }
}

KnownResults recurrent_results(const NodeImport& node) {
    require_rank(node, 0, 3);
    require_rank(node, 1, 3);
    require_rank(node, 2, 3);
    const Tensor x = node.input(0);
    const std::string_view type = node.node().op_type;
    const std::int64_t gates = type.ends_with("LSTM") ? 4 : type == "GRU" ? 3 : 1;
    const bool batch_first = node.integer("layout", 0) != 0;
    const std::int64_t batch = x.dims[batch_first ? 0 : 1];
    const std::int64_t length = x.dims[batch_first ? 1 : 0];
    const std::int64_t directions = node.input(1).dims[0];
    const std::int64_t hidden = node.integer("hidden_size", node.input(2).dims[2]);
    const Dims all = batch_first ? Dims{batch, length, directions, hidden}
                                 : Dims{length, directions, batch, hidden};
    const Dims last =
        batch_first ? Dims{batch, directions, hidden} : Dims{directions, batch, hidden};
    const double cells = as_number(product(all));
    return {.outputs = {Tensor{all, x.dtype}, Tensor{last, x.dtype}, Tensor{last, x.dtype}},
            .work = Operations{.multiply_adds = cells * as_number(gates) *
                                                (as_number(x.dims[2]) + as_number(hidden)),
                               .transcendentals = cells * as_number(gates),
                               .bias_adds = node.has_input(3) ? cells * as_number(gates) : 0},
            .weights = {1, 2, 3}};
}

}  // namespace

OnnxRows recurrent_rows() {
    static constexpr std::array rows = {
        OnnxRow("DynamicQuantizeLSTM", Domain::microsoft).shaped(recurrent_results),
        OnnxRow("GRU").in_floating(convert_recurrent, Outputs::several).shaped(recurrent_results),
        OnnxRow("LSTM")
            .in_floating(convert_recurrent, Outputs::several)
            .shaped(recurrent_results)
            .out<write_recurrent>(),
        OnnxRow("RNN").in_floating(convert_recurrent, Outputs::several).shaped(recurrent_results),
    };
    return rows;
}

}  // namespace strata
