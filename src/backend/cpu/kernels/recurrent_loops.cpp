// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/recurrent_loops.h"

#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/vector_math.h"

#include <algorithm>

namespace strata::cpu {

namespace {

// Calls piece(row, first, count) for runs of units of one row, short enough to divide among
// threads.
template <class Piece>
void each_piece(const StepShape& shape, Piece&& piece) {
    constexpr std::size_t run = 512;
    const std::size_t runs = (shape.hidden + run - 1) / run;
#pragma omp parallel for if (shape.batch * shape.hidden > 4096)
    for (std::size_t i = 0; i < shape.batch * runs; ++i) {
        const std::size_t first = i % runs * run;
        piece(i / runs, first, std::min(run, shape.hidden - first));
    }
}

// A run of units: its start in each array, and the distance between gates.
struct Run {
    std::size_t count = 0;
    std::size_t hidden = 0;
    std::size_t at = 0;     // in [batch, hidden]
    std::size_t gates = 0;  // in [batch, G * hidden]
    std::size_t y = 0;
};

Run run_of(const StepShape& shape, std::size_t gates, std::size_t row, std::size_t first,
           std::size_t count) {
    return {count, shape.hidden, row * shape.hidden + first, row * gates * shape.hidden + first,
            row * shape.y_row + first};
}

template <class Body>
void each_run(const StepShape& shape, std::size_t gates, Body&& body) {
    each_piece(shape, [&](std::size_t row, std::size_t first, std::size_t count) {
        body(run_of(shape, gates, row, first, count));
    });
}

void store_densely(const StateOut& out, const Run& run) {
    if (out.h != nullptr) {
        std::copy_n(out.y + run.y, run.count, out.h + run.at);
    }
}

STRATA_EACH_ISA void tanh_run(float* gates, float* y, std::size_t count) {
#pragma GCC ivdep
    for (std::size_t j = 0; j < count; ++j) {
        const float h = hyperbolic_tangent(gates[j]);
        gates[j] = h;
        y[j] = h;
    }
}

STRATA_EACH_ISA void relu_run(float* gates, float* y, std::size_t count) {
#pragma GCC ivdep
    for (std::size_t j = 0; j < count; ++j) {
        const float h = gates[j] > 0 ? gates[j] : 0.0F;
        gates[j] = h;
        y[j] = h;
    }
}

STRATA_EACH_ISA void tanh_backward_run(float* gates, const float* dy, const float* dh,
                                       std::size_t count) {
#pragma GCC ivdep
    for (std::size_t j = 0; j < count; ++j) {
        gates[j] = (dy[j] + dh[j]) * (1.0F - gates[j] * gates[j]);
    }
}

STRATA_EACH_ISA void relu_backward_run(float* gates, const float* dy, const float* dh,
                                       std::size_t count) {
#pragma GCC ivdep
    for (std::size_t j = 0; j < count; ++j) {
        const float d = dy[j] + dh[j];
        gates[j] = gates[j] > 0 ? d : 0.0F;
    }
}

STRATA_EACH_ISA void lstm_run(float* gates, std::size_t hidden, const float* before, float* c,
                              float* y, std::size_t count) {
    float *in = gates, *forget = gates + hidden;
    float *candidate = gates + 2 * hidden, *out = gates + 3 * hidden;
#pragma GCC ivdep
    for (std::size_t j = 0; j < count; ++j) {
        const float i = logistic(in[j]), f = logistic(forget[j]);
        const float g = hyperbolic_tangent(candidate[j]), o = logistic(out[j]);
        const float cell = f * before[j] + i * g;
        in[j] = i;
        forget[j] = f;
        candidate[j] = g;
        out[j] = o;
        c[j] = cell;
        y[j] = o * hyperbolic_tangent(cell);
    }
}

STRATA_EACH_ISA void lstm_backward_run(float* gates, std::size_t hidden, const float* before,
                                       const float* c, float* dc, const float* dy, const float* dh,
                                       std::size_t count) {
    float *in = gates, *forget = gates + hidden;
    float *candidate = gates + 2 * hidden, *out = gates + 3 * hidden;
#pragma GCC ivdep
    for (std::size_t j = 0; j < count; ++j) {
        const float i = in[j], f = forget[j], g = candidate[j], o = out[j];
        const float state = hyperbolic_tangent(c[j]);
        const float d = dy[j] + dh[j];
        const float cell = dc[j] + d * o * (1.0F - state * state);
        in[j] = cell * g * i * (1.0F - i);
        forget[j] = cell * before[j] * f * (1.0F - f);
        candidate[j] = cell * i * (1.0F - g * g);
        out[j] = d * state * o * (1.0F - o);
        dc[j] = cell * f;
    }
}

STRATA_EACH_ISA void gru_after_run(float* gates, const float* products, std::size_t hidden,
                                   const float* before, float* reset, const float* bias, float* y,
                                   std::size_t count) {
    float *update = gates, *select = gates + hidden, *candidate = gates + 2 * hidden;
#pragma GCC ivdep
    for (std::size_t j = 0; j < count; ++j) {
        const float z = logistic(update[j] + products[j]);
        const float r = logistic(select[j] + products[hidden + j]);
        const float kept = products[2 * hidden + j] + bias[j];
        const float n = hyperbolic_tangent(candidate[j] + r * kept);
        update[j] = z;
        select[j] = r;
        candidate[j] = n;
        reset[j] = kept;
        y[j] = n + z * (before[j] - n);
    }
}

STRATA_EACH_ISA void gru_before_run(float* gates, const float* products, std::size_t hidden,
                                    const float* before, float* reset, std::size_t count) {
    float *update = gates, *select = gates + hidden;
#pragma GCC ivdep
    for (std::size_t j = 0; j < count; ++j) {
        const float r = logistic(select[j] + products[hidden + j]);
        update[j] = logistic(update[j] + products[j]);
        select[j] = r;
        reset[j] = r * before[j];
    }
}

STRATA_EACH_ISA void gru_finish_run(float* gates, const float* products, std::size_t hidden,
                                    const float* before, float* y, std::size_t count) {
    const float* update = gates;
    float* candidate = gates + 2 * hidden;
#pragma GCC ivdep
    for (std::size_t j = 0; j < count; ++j) {
        const float n = hyperbolic_tangent(candidate[j] + products[j]);
        candidate[j] = n;
        y[j] = n + update[j] * (before[j] - n);
    }
}

STRATA_EACH_ISA void gru_after_backward_run(float* gates, float* to_products, std::size_t hidden,
                                            const float* before, const float* reset,
                                            const float* dy, const float* dh, float* passed,
                                            std::size_t count) {
    float *update = gates, *select = gates + hidden, *candidate = gates + 2 * hidden;
#pragma GCC ivdep
    for (std::size_t j = 0; j < count; ++j) {
        const float z = update[j], r = select[j], n = candidate[j];
        const float d = dy[j] + dh[j] + passed[j];
        const float dn = d * (1.0F - z) * (1.0F - n * n);
        const float dz = d * (before[j] - n) * z * (1.0F - z);
        const float dr = dn * reset[j] * r * (1.0F - r);
        update[j] = dz;
        select[j] = dr;
        candidate[j] = dn;
        to_products[j] = dz;
        to_products[hidden + j] = dr;
        to_products[2 * hidden + j] = dn * r;
        passed[j] = d * z;
    }
}

STRATA_EACH_ISA void gru_before_backward_run(float* gates, float* to_n, std::size_t hidden,
                                             const float* before, const float* dy, const float* dh,
                                             float* passed, std::size_t count) {
    float *update = gates, *candidate = gates + 2 * hidden;
#pragma GCC ivdep
    for (std::size_t j = 0; j < count; ++j) {
        const float z = update[j], n = candidate[j];
        const float d = dy[j] + dh[j] + passed[j];
        const float dn = d * (1.0F - z) * (1.0F - n * n);
        update[j] = d * (before[j] - n) * z * (1.0F - z);
        candidate[j] = dn;
        to_n[j] = dn;
        passed[j] = d * z;
    }
}

STRATA_EACH_ISA void gru_before_finish_run(float* gates, float* to_zr, std::size_t hidden,
                                           const float* before, const float* to_reset,
                                           float* passed, std::size_t count) {
    float *update = gates, *select = gates + hidden;
#pragma GCC ivdep
    for (std::size_t j = 0; j < count; ++j) {
        const float r = select[j];
        const float dr = to_reset[j] * before[j] * r * (1.0F - r);
        passed[j] += to_reset[j] * r;
        select[j] = dr;
        to_zr[j] = update[j];
        to_zr[hidden + j] = dr;
    }
}

}  // namespace

void rnn_forward(const StepShape& shape, Rectifier function, float* gates, const StateOut& out) {
    each_run(shape, 1, [&](const Run& run) {
        const auto apply = function == Rectifier::tanh ? tanh_run : relu_run;
        apply(gates + run.gates, out.y + run.y, run.count);
        store_densely(out, run);
    });
}

void rnn_backward(const StepShape& shape, Rectifier function, float* gates,
                  const StateGradient& gradient) {
    each_run(shape, 1, [&](const Run& run) {
        const auto apply = function == Rectifier::tanh ? tanh_backward_run : relu_backward_run;
        apply(gates + run.gates, gradient.dy + run.y, gradient.dh + run.at, run.count);
    });
}

void lstm_forward(const StepShape& shape, float* gates, const float* c_before, float* c,
                  const StateOut& out) {
    each_run(shape, 4, [&](const Run& run) {
        lstm_run(gates + run.gates, run.hidden, c_before + run.at, c + run.at, out.y + run.y,
                 run.count);
        store_densely(out, run);
    });
}

void lstm_backward(const StepShape& shape, float* gates, const float* c_before, const float* c,
                   float* dc, const StateGradient& gradient) {
    each_run(shape, 4, [&](const Run& run) {
        lstm_backward_run(gates + run.gates, run.hidden, c_before + run.at, c + run.at, dc + run.at,
                          gradient.dy + run.y, gradient.dh + run.at, run.count);
    });
}

void gru_after_forward(const StepShape& shape, const GruStep& step, const StateOut& out) {
    each_run(shape, 3, [&](const Run& run) {
        gru_after_run(step.gates + run.gates, step.products + run.gates, run.hidden,
                      step.h_before + run.at, step.reset + run.at, step.bias + run.at % run.hidden,
                      out.y + run.y, run.count);
        store_densely(out, run);
    });
}

void gru_before_forward(const StepShape& shape, const GruStep& step) {
    each_run(shape, 3, [&](const Run& run) {
        const std::size_t products = run.gates - (run.gates / (3 * run.hidden)) * run.hidden;
        gru_before_run(step.gates + run.gates, step.products + products, run.hidden,
                       step.h_before + run.at, step.reset + run.at, run.count);
    });
}

void gru_finish(const StepShape& shape, const GruStep& step, const StateOut& out) {
    each_run(shape, 3, [&](const Run& run) {
        gru_finish_run(step.gates + run.gates, step.products + run.at, run.hidden,
                       step.h_before + run.at, out.y + run.y, run.count);
        store_densely(out, run);
    });
}

void gru_after_backward(const StepShape& shape, const GruStep& step, float* to_products,
                        const StateGradient& gradient) {
    each_run(shape, 3, [&](const Run& run) {
        gru_after_backward_run(step.gates + run.gates, to_products + run.gates, run.hidden,
                               step.h_before + run.at, step.reset + run.at, gradient.dy + run.y,
                               gradient.dh + run.at, gradient.passed + run.at, run.count);
    });
}

void gru_before_backward(const StepShape& shape, const GruStep& step, float* to_n,
                         const StateGradient& gradient) {
    each_run(shape, 3, [&](const Run& run) {
        gru_before_backward_run(step.gates + run.gates, to_n + run.at, run.hidden,
                                step.h_before + run.at, gradient.dy + run.y, gradient.dh + run.at,
                                gradient.passed + run.at, run.count);
    });
}

void gru_before_finish_backward(const StepShape& shape, const GruStep& step, const float* to_reset,
                                float* to_zr, float* passed) {
    each_run(shape, 3, [&](const Run& run) {
        const std::size_t row = run.gates / (3 * run.hidden);
        gru_before_finish_run(step.gates + run.gates, to_zr + run.gates - row * run.hidden,
                              run.hidden, step.h_before + run.at, to_reset + run.at,
                              passed + run.at, run.count);
    });
}

}  // namespace strata::cpu
