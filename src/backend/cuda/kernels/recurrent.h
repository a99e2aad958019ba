// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/kernel.h"
#include "op/recurrent.h"

namespace strata::cuda {

// One step of a recurrent cell between its products, for a whole batch; everything f32. Gates are
// [batch, gates * hidden], dense, in the order of op/recurrent.h; states are rows of `hidden`,
// those of the layer's result `y_row` floats apart, those before the step `before_row` apart (0:
// there is none, it is zero).
struct CellStep {
    CellKind cell = CellKind::lstm;
    std::int64_t batch = 1;
    std::int64_t hidden = 1;
    std::int64_t y_row = 1;
    std::int64_t before_row = 0;
};

// LSTM and RNN: gates hold their sums and are left as their values. Addresses: gates, y, c before,
// c (the last two of an LSTM; zeros stand for a first c).
Kernel cell_forward(const CellStep& step);
// Gates hold their values and are left as the gradients of their sums. Addresses: gates, dy, dh,
// and of an LSTM c before, c, dc, which is left as that of c before.
Kernel cell_backward(const CellStep& step);

// A GRU that resets before its product. First z and r, and r h; then, with U_n (r h) in the gates,
// n and the new state. Addresses: gates, h before, r h; gates, h before, y.
Kernel gru_gates(const CellStep& step);
Kernel gru_state(const CellStep& step);
// Backward: first the gradients of z and n, and what passes by the gates; then, with d / d(r h),
// that of r. Addresses: gates, h before, dy, dh, passed; gates, h before, d / d(r h), passed.
Kernel gru_state_backward(const CellStep& step);
Kernel gru_gates_backward(const CellStep& step);

// A GRU that resets after it: `products` is U h of all gates; U_n h + b' is kept. Addresses: gates,
// products, h before, b' (any where there is none), kept, y.
Kernel gru_after_forward(const CellStep& step, bool has_bias);
// Addresses: gates, h before, kept, dy, dh, passed, gradient of the products.
Kernel gru_after_backward(const CellStep& step);

// to = a + b, dense. Addresses: a, b, to.
Kernel add_states(std::int64_t count);
// Rows of `hidden` floats, `from_row` apart, copied to rows that lie side by side.
Kernel copy_state(std::int64_t batch, std::int64_t hidden, std::int64_t from_row);

}  // namespace strata::cuda
