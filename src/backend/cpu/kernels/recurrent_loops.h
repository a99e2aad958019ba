// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

// One step of a recurrent cell between its products, for a whole batch. A step's arrays are [batch,
// hidden], its gates [batch, gates * hidden], both dense; rows of the layer's result and its
// gradient have their own stride, because two directions share one. Runs on OpenMP's threads.
namespace strata::cpu {

struct StepShape {
    std::size_t batch = 0;
    std::size_t hidden = 0;
    std::size_t y_row = 0;  // floats from one row of y or dy to the next
};

// The destination of a step's state: the layer's result, and, if the next product cannot read that,
// also a dense array (null: it can).
struct StateOut {
    float* y = nullptr;
    float* h = nullptr;
};

// The parts of a step's state gradient: from the layer's result, and from the next step, where one
// part came through the product and one bypassed it (null: nothing does).
struct StateGradient {
    const float* dy = nullptr;
    const float* dh = nullptr;
    float* passed = nullptr;
};

enum class Rectifier { tanh, relu };

// gates: on entry the sums before the function, on return its values.
void rnn_forward(const StepShape& shape, Rectifier function, float* gates, const StateOut& out);
// gates: on entry the function's values, on return the gradient of the sums; likewise below.
void rnn_backward(const StepShape& shape, Rectifier function, float* gates,
                  const StateGradient& gradient);

void lstm_forward(const StepShape& shape, float* gates, const float* c_before, float* c,
                  const StateOut& out);
// dc: on entry the gradient of c from the next step, on return that of c before.
void lstm_backward(const StepShape& shape, float* gates, const float* c_before, const float* c,
                   float* dc, const StateGradient& gradient);

// Shared by the steps of a GRU. With reset_after: `products` is U h of all three gates, and `reset`
// keeps U_n h + b'. Without: first `products` is U h of z and r, and `reset` receives r h, which is
// multiplied by U_n; then call gru_finish.
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
// The gradients of z and n, the latter also densely in `to_n`; then, given d / d(r h), the gradient
// of r, and those of z and r densely in `to_zr`, [batch, 2 * hidden].
void gru_before_backward(const StepShape& shape, const GruStep& step, float* to_n,
                         const StateGradient& gradient);
void gru_before_finish_backward(const StepShape& shape, const GruStep& step, const float* to_reset,
                                float* to_zr, float* passed);

}  // namespace strata::cpu
