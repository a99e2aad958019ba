// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

// One step of a recurrent cell between its products, for a whole batch. Arrays of a step are
// [batch, hidden], gates [batch, gates * hidden], both dense; a step of the layer's result or of
// its gradient has rows of its own length, for two directions share one. Spread over OpenMP's
// threads.
namespace strata::cpu {

struct StepShape {
    std::size_t batch = 0;
    std::size_t hidden = 0;
    std::size_t y_row = 0;  // floats from one row of y or dy to the next
};

// Where a step leaves its state: in the layer's result, and where that does not serve the next
// product, densely as well (null: it does).
struct StateOut {
    float* y = nullptr;
    float* h = nullptr;
};

// The gradient of a step's state: that of the layer's result, that of the step after (both as it
// came through the product, and what passed by it; null where nothing passes).
struct StateGradient {
    const float* dy = nullptr;
    const float* dh = nullptr;
    float* passed = nullptr;
};

enum class Rectifier { tanh, relu };

// gates: the sums before the function on entry, its values on return.
void rnn_forward(const StepShape& shape, Rectifier function, float* gates, const StateOut& out);
// gates: the function's values on entry, the gradient of the sums on return; so below.
void rnn_backward(const StepShape& shape, Rectifier function, float* gates,
                  const StateGradient& gradient);

void lstm_forward(const StepShape& shape, float* gates, const float* c_before, float* c,
                  const StateOut& out);
// dc: the gradient of c from the step after on entry, of c before on return.
void lstm_backward(const StepShape& shape, float* gates, const float* c_before, const float* c,
                   float* dc, const StateGradient& gradient);

// What the steps of a GRU share. With reset_after: `products` is U h of all three gates and
// `reset` keeps U_n h + b'. Without: first `products` is U h of z and r and `reset` receives r h,
// which is multiplied by U_n; then gru_finish.
struct GruStep {
    float* gates = nullptr;
    const float* products = nullptr;
    const float* h_before = nullptr;
    float* reset = nullptr;
    const float* bias = nullptr;  // b', or null
};
void gru_after_forward(const StepShape& shape, const GruStep& step, const StateOut& out);
void gru_before_forward(const StepShape& shape, const GruStep& step);
void gru_finish(const StepShape& shape, const GruStep& step, const StateOut& out);

// to_products: the gradient of U h, [batch, 3 * hidden].
void gru_after_backward(const StepShape& shape, const GruStep& step, float* to_products,
                        const StateGradient& gradient);
// The gradients of z and n, the latter densely in `to_n` as well; then, with d / d(r h) known, that
// of r, and those of z and r densely in `to_zr`, [batch, 2 * hidden].
void gru_before_backward(const StepShape& shape, const GruStep& step, float* to_n,
                         const StateGradient& gradient);
void gru_before_finish_backward(const StepShape& shape, const GruStep& step, const float* to_reset,
                                float* to_zr, float* passed);

}  // namespace strata::cpu
