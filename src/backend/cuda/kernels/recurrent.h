// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/kernel.h"
#include "op/recurrent.h"

namespace strata::cuda {

// One step of a recurrent cell between its products, for a whole batch, all in f32. Gates are
// [batch, gates * hidden], dense, in the order of op/recurrent.h. States are rows of `hidden`: rows
// of the layer's result are `y_row` floats apart, those of the state before the step `before_row`
// (0: there is none, it is zero).
struct CellStep {
    CellKind cell = CellKind::lstm;
    std::int64_t batch = 1;
    std::int64_t hidden = 1;
    std::int64_t y_row = 1;
    std::int64_t before_row = 0;
};

// LSTM and RNN: gates hold their sums on entry and their values on return. Addresses: gates, y, c
// before, c (the last two only for an LSTM; the first c before may be zeros).
Kernel cell_forward(const CellStep& step);
// Gates hold their values on entry and the gradients of their sums on return. Addresses: gates, dy,
// dh, and for an LSTM c before, c, dc, which becomes the gradient of c before.
Kernel cell_backward(const CellStep& step);

// A GRU that resets before its product, in two kernels: first z, r and r h; then, with U_n (r h) in
// the gates, n and the new state. Addresses: gates, h before, r h; gates, h before, y.
Kernel gru_gates(const CellStep& step);
Kernel gru_state(const CellStep& step);
// Backward, in two kernels: first the gradients of z and n, and the gradient that bypasses the
// gates; then, given d / d(r h), that of r. Addresses: gates, h before, dy, dh, passed; gates, h
// before, d / d(r h), passed.
Kernel gru_state_backward(const CellStep& step);
Kernel gru_gates_backward(const CellStep& step);

// A GRU that resets after its product: `products` is U h of all gates; U_n h + b' is kept.
// Addresses: gates, products, h before, b' (any address if there is none), kept, y.
Kernel gru_after_forward(const CellStep& step, bool has_bias);
// Addresses: gates, h before, kept, dy, dh, passed, gradient of the products.
Kernel gru_after_backward(const CellStep& step);

// to = a + b, dense. Addresses: a, b, to.
Kernel add_states(std::int64_t count);
// Copies rows of `hidden` floats, `from_row` apart, to dense rows.
Kernel copy_state(std::int64_t batch, std::int64_t hidden, std::int64_t from_row);

}  // namespace strata::cuda
