// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

#include <array>

namespace strata {

// The supported recurrent cells.
enum class CellKind { rnn_tanh, rnn_relu, lstm, gru };

inline constexpr std::array<std::string_view, 4> names_of(CellKind) {
    return {"rnn_tanh", "rnn_relu", "lstm", "gru"};
}

// The order in which a sequence is read.
enum class Direction { forward, reverse, bidirectional };

inline constexpr std::array<std::string_view, 3> names_of(Direction) {
    return {"forward", "reverse", "bidirectional"};
}

// Stacked recurrent cells over a sequence: x[T,N,I] -> y[T,N,D*hidden], D = 2 if bidirectional
// (the forward direction's values first). Further activations are the initial states,
// h[L*D,N,hidden] and, for an LSTM, c of the same shape; without them they are zero. With
// final_state it also returns the final states, h and (LSTM) c, of that shape. Layer l > 0 reads
// the D*hidden outputs of the one below. Per layer and direction: weight_input[G*hidden,I],
// weight_hidden[G*hidden,hidden], bias. Gates are in this order, with one bias each (the two of
// some libraries summed):
//   LSTM i, f, g, o:  c' = f c + i g;  h' = o tanh(c')   (Hochreiter and Schmidhuber 1997)
//   GRU  z, r, n:     h' = (1 - z) n + z h;  n = tanh(W x + U (r h) + b), or with reset_after
// tanh(W x + b + r (U h + b')), b' the bias's fourth block (Cho et al. 2014; cuDNN)
//   RNN:              h' = tanh(W x + U h + b), or its relu
struct Recurrent {
    static constexpr std::string_view type = "recurrent";
    CellKind cell = CellKind::lstm;
    std::int64_t hidden = 0;
    std::int64_t layers = 1;
    Direction direction = Direction::forward;
    bool bias = true;
    bool reset_after = false;
    bool final_state = false;

    bool operator==(const Recurrent&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("cell", self.cell);
        visit("hidden", self.hidden);
        visit("layers", self.layers);
        visit("direction", self.direction);
        visit("bias", self.bias);
        visit("reset_after", self.reset_after);
        visit("final_state", self.final_state);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    Bytes saved_bytes(const Signature& signature) const;
    std::string kind_name() const;
    std::optional<Draw> draw(const Signature& signature, std::size_t operand) const;
    SumShape forward_sum(const OperandValues& values) const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

}  // namespace strata
