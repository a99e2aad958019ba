// SPDX-License-Identifier: MIT
#include "networks/onnx/operator/recurrent.h"

#include "base/error.h"

#include <algorithm>

namespace strata {

CellLayout layout_of(CellKind cell) {
    switch (cell) {
        case CellKind::lstm:
            return {"LSTM", 4, {0, 2, 3, 1}, {"Sigmoid", "Tanh", "Tanh"}};  // i o f c -> i f g o
        case CellKind::gru:
            return {"GRU", 3, {0, 1, 2}, {"Sigmoid", "Tanh"}};  // z r h -> z r n
        case CellKind::rnn_relu:
            return {"RNN", 1, {0}, {"Relu"}};
        case CellKind::rnn_tanh:
            return {"RNN", 1, {0}, {"Tanh"}};
    }
    check(false, "every cell has its layout");
    return {};
}

namespace {

constexpr std::int64_t to_end = std::int64_t{1} << 40;

// The layers of a Recurrent, one ONNX node each.
class RecurrentWriter {
public:
    RecurrentWriter(const Recurrent& op, LayerWriter& to)
        : op_(op),
          to_(to),
          directions_(op.direction == Direction::bidirectional ? 2 : 1),
          states_(op.cell == CellKind::lstm ? 2 : 1),
          parameters_(op.bias ? 3 : 2),
          layout_(layout_of(op.cell)) {
        const auto all = static_cast<std::size_t>(op.layers * directions_) * parameters_;
        first_parameter_ = to.input_count() - all;
    }

    void run() {
        std::string x = to_.in(0);
        std::vector<std::vector<std::string>> last(states_);
        for (std::int64_t layer = 0; layer < op_.layers; ++layer) {
            const auto results = node(x, layer);
            for (std::size_t i = 0; i < states_; ++i) {
                last[i].push_back(results[i + 1]);
            }
            x = sequence(results[0], layer + 1 == op_.layers);
        }
        for (std::size_t i = 0; i < states_ && op_.final_state; ++i) {
            to_.give(i + 1, "Concat", last[i], {{"axis", std::int64_t{0}}});
        }
    }

private:
    std::string parameter(std::int64_t layer, std::int64_t direction, std::size_t which) const {
        const auto cell = static_cast<std::size_t>(layer * directions_ + direction);
        return to_.in(first_parameter_ + cell * parameters_ + which);
    }

    std::string rows(const std::string& tensor, std::int64_t start, std::int64_t end) {
        return to_.step("Slice",
                        {tensor, to_.integers({start}), to_.integers({end}), to_.integers({0})});
    }

    std::string joined(std::vector<std::string> parts) {
        return to_.step("Concat", std::move(parts), {{"axis", std::int64_t{0}}});
    }

    std::string in_order(const std::string& tensor) {
        std::vector<std::string> blocks(layout_.gates);
        for (std::size_t onnx = 0; onnx < layout_.gates; ++onnx) {
            const auto own = std::ranges::find(layout_.blocks, onnx) - layout_.blocks.begin();
            blocks[onnx] = rows(tensor, own * op_.hidden, (own + 1) * op_.hidden);
        }
        return joined(std::move(blocks));
    }

    // The sums of both biases as the input's; the state has only what the reset gate scales.
    std::string bias(const std::string& tensor) {
        const auto gates = static_cast<std::int64_t>(layout_.gates);
        const std::int64_t zeros = op_.reset_after ? gates - 1 : gates;
        std::vector<std::string> parts = {in_order(tensor), to_.filled({zeros * op_.hidden}, 0)};
        if (op_.reset_after) {
            parts.push_back(rows(tensor, gates * op_.hidden, to_end));
        }
        return joined(std::move(parts));
    }

    // One tensor for both directions.
    std::string stacked(std::int64_t layer, std::size_t which) {
        std::vector<std::string> parts;
        for (std::int64_t direction = 0; direction < directions_; ++direction) {
            const std::string tensor = parameter(layer, direction, which);
            const std::string arranged = which == 2 ? bias(tensor) : in_order(tensor);
            parts.push_back(to_.step("Unsqueeze", {arranged, to_.integers({0})}));
        }
        return joined(std::move(parts));
    }

    std::vector<std::string> node(const std::string& x, std::int64_t layer) {
        std::vector<std::string> inputs = {x, stacked(layer, 0), stacked(layer, 1),
                                           op_.bias ? stacked(layer, 2) : ""};
        for (std::size_t i = 1; i < first_parameter_; ++i) {
            inputs.resize(i == 1 ? 5 : inputs.size());
            inputs.push_back(rows(to_.in(i), layer * directions_, (layer + 1) * directions_));
        }
        const auto direction = onnx_directions.at(static_cast<std::size_t>(op_.direction));
        LayerWriter::Attributes attributes = {{"hidden_size", op_.hidden},
                                              {"direction", std::string(direction)}};
        if (op_.cell == CellKind::rnn_relu) {
            attributes.push_back(
                {"activations",
                 std::vector<std::string>(static_cast<std::size_t>(directions_), "Relu")});
        }
        if (op_.cell == CellKind::gru) {
            attributes.push_back({"linear_before_reset", std::int64_t{op_.reset_after}});
        }
        return to_.steps(layout_.op_type, inputs, states_ + 1, attributes);
    }

    // Y[T,D,N,H] -> y[T,N,D*H].
    std::string sequence(const std::string& y, bool is_last) {
        const std::string turned =
            to_.step("Transpose", {y}, {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
        const std::string dims = to_.integers({0, 0, directions_ * op_.hidden});
        if (!is_last) {
            return to_.step("Reshape", {turned, dims});
        }
        to_.give(0, "Reshape", {turned, dims});
        return {};
    }

    const Recurrent& op_;
    LayerWriter& to_;
    std::int64_t directions_;
    std::size_t states_;
    std::size_t parameters_;  // of one cell
    CellLayout layout_;
    std::size_t first_parameter_ = 0;
};

}  // namespace

void write_recurrent(const Recurrent& op, LayerWriter& to) {
    RecurrentWriter(op, to).run();
}

}  // namespace strata
