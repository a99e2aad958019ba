// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/recurrent.h"

#include "backend/cuda/kernels/launch.cuh"

namespace strata::cuda {

namespace {

__device__ float sigmoid(float x) {
    return 1 / (1 + expf(-x));
}

// One unit of one image.
struct Unit {
    std::int64_t image;
    std::int64_t unit;
    std::int64_t hidden;

    __device__ Unit(const CellStep& step, std::int64_t i)
        : image(i / step.hidden), unit(i - image * step.hidden), hidden(step.hidden) {}

    // The index of one of its gates in a matrix with `count` gates per row.
    __device__ std::int64_t gate(std::int64_t count, std::int64_t which) const {
        return (image * count + which) * hidden + unit;
    }
    __device__ std::int64_t in(std::int64_t row) const { return image * row + unit; }
};

__device__ float before(const CellStep& step, const float* h, const Unit& at) {
    return step.before_row == 0 ? 0 : h[at.in(step.before_row)];
}

struct LstmForward {
    CellStep step;
    float* gates;
    float* y;
    const float* c_before;
    float* c;

    __device__ void operator()(std::int64_t i) const {
        const Unit at(step, i);
        float& in = gates[at.gate(4, 0)];
        float& forget = gates[at.gate(4, 1)];
        float& candidate = gates[at.gate(4, 2)];
        float& out = gates[at.gate(4, 3)];
        in = sigmoid(in);
        forget = sigmoid(forget);
        candidate = tanhf(candidate);
        out = sigmoid(out);
        c[i] = forget * c_before[i] + in * candidate;
        y[at.in(step.y_row)] = out * tanhf(c[i]);
    }
};

struct LstmBackward {
    CellStep step;
    float* gates;
    const float* dy;
    const float* dh;
    const float* c_before;
    const float* c;
    float* dc;

    __device__ void operator()(std::int64_t i) const {
        const Unit at(step, i);
        float& in = gates[at.gate(4, 0)];
        float& forget = gates[at.gate(4, 1)];
        float& candidate = gates[at.gate(4, 2)];
        float& out = gates[at.gate(4, 3)];
        const float gradient = dy[at.in(step.y_row)] + dh[i];
        const float squashed = tanhf(c[i]);
        const float of_c = dc[i] + gradient * out * (1 - squashed * squashed);
        dc[i] = of_c * forget;
        out = gradient * squashed * out * (1 - out);
        forget = of_c * c_before[i] * forget * (1 - forget);
        const float of_in = of_c * candidate * in * (1 - in);
        candidate = of_c * in * (1 - candidate * candidate);
        in = of_in;
    }
};

struct RnnForward {
    CellStep step;
    float* gates;
    float* y;

    __device__ void operator()(std::int64_t i) const {
        const Unit at(step, i);
        const float value = step.cell == CellKind::rnn_relu ? fmaxf(gates[i], 0) : tanhf(gates[i]);
        gates[i] = value;
        y[at.in(step.y_row)] = value;
    }
};

struct RnnBackward {
    CellStep step;
    float* gates;
    const float* dy;
    const float* dh;

    __device__ void operator()(std::int64_t i) const {
        const Unit at(step, i);
        const float value = gates[i];
        const float slope =
            step.cell == CellKind::rnn_relu ? (value > 0 ? 1 : 0) : 1 - value * value;
        gates[i] = (dy[at.in(step.y_row)] + dh[i]) * slope;
    }
};

struct GruGates {
    CellStep step;
    float* gates;
    const float* h;
    float* reset_state;

    __device__ void operator()(std::int64_t i) const {
        const Unit at(step, i);
        float& update = gates[at.gate(3, 0)];
        float& reset = gates[at.gate(3, 1)];
        update = sigmoid(update);
        reset = sigmoid(reset);
        reset_state[i] = reset * before(step, h, at);
    }
};

struct GruState {
    CellStep step;
    float* gates;
    const float* h;
    float* y;

    __device__ void operator()(std::int64_t i) const {
        const Unit at(step, i);
        const float update = gates[at.gate(3, 0)];
        float& candidate = gates[at.gate(3, 2)];
        candidate = tanhf(candidate);
        y[at.in(step.y_row)] = (1 - update) * candidate + update * before(step, h, at);
    }
};

struct GruStateBackward {
    CellStep step;
    float* gates;
    const float* h;
    const float* dy;
    const float* dh;
    float* passed;

    __device__ void operator()(std::int64_t i) const {
        const Unit at(step, i);
        float& update = gates[at.gate(3, 0)];
        float& candidate = gates[at.gate(3, 2)];
        const float gradient = dy[at.in(step.y_row)] + dh[i] + passed[i];
        passed[i] = gradient * update;
        const float of_update =
            gradient * (before(step, h, at) - candidate) * update * (1 - update);
        candidate = gradient * (1 - update) * (1 - candidate * candidate);
        update = of_update;
    }
};

struct GruGatesBackward {
    CellStep step;
    float* gates;
    const float* h;
    const float* to_reset;
    float* passed;

    __device__ void operator()(std::int64_t i) const {
        const Unit at(step, i);
        float& reset = gates[at.gate(3, 1)];
        passed[i] += to_reset[i] * reset;
        reset = to_reset[i] * before(step, h, at) * reset * (1 - reset);
    }
};

struct GruAfterForward {
    CellStep step;
    float* gates;
    const float* products;
    const float* h;
    const float* bias;
    float* kept;
    float* y;

    __device__ void operator()(std::int64_t i) const {
        const Unit at(step, i);
        float& update = gates[at.gate(3, 0)];
        float& reset = gates[at.gate(3, 1)];
        float& candidate = gates[at.gate(3, 2)];
        update = sigmoid(update + products[at.gate(3, 0)]);
        reset = sigmoid(reset + products[at.gate(3, 1)]);
        kept[i] = products[at.gate(3, 2)] + (bias == nullptr ? 0 : bias[at.unit]);
        candidate = tanhf(candidate + reset * kept[i]);
        y[at.in(step.y_row)] = (1 - update) * candidate + update * before(step, h, at);
    }
};

struct GruAfterBackward {
    CellStep step;
    float* gates;
    const float* h;
    const float* kept;
    const float* dy;
    const float* dh;
    float* passed;
    float* to_products;

    __device__ void operator()(std::int64_t i) const {
        const Unit at(step, i);
        float& update = gates[at.gate(3, 0)];
        float& reset = gates[at.gate(3, 1)];
        float& candidate = gates[at.gate(3, 2)];
        const float gradient = dy[at.in(step.y_row)] + dh[i] + passed[i];
        passed[i] = gradient * update;
        const float of_update =
            gradient * (before(step, h, at) - candidate) * update * (1 - update);
        const float of_candidate = gradient * (1 - update) * (1 - candidate * candidate);
        const float of_reset = of_candidate * kept[i] * reset * (1 - reset);
        to_products[at.gate(3, 0)] = of_update;
        to_products[at.gate(3, 1)] = of_reset;
        to_products[at.gate(3, 2)] = of_candidate * reset;
        update = of_update;
        reset = of_reset;
        candidate = of_candidate;
    }
};

struct AddBody {
    const float* a;
    const float* b;
    float* to;
    __device__ void operator()(std::int64_t i) const { to[i] = a[i] + b[i]; }
};

struct CopyBody {
    const float* from;
    float* to;
    std::int64_t hidden;
    std::int64_t from_row;
    __device__ void operator()(std::int64_t i) const {
        const std::int64_t image = i / hidden;
        to[i] = from[image * from_row + i - image * hidden];
    }
};

std::int64_t units(const CellStep& step) {
    return step.batch * step.hidden;
}

// A body over all units that has the step, then this many addresses.
template <class Body, std::size_t addresses>
Kernel on_units(const char* name, const CellStep& step) {
    return each(name, units(step), [=](std::span<void* const> at) {
        return [&]<std::size_t... i>(std::index_sequence<i...>) {
            return Body{step, floats(at[i])...};
        }
        (std::make_index_sequence<addresses>());
    });
}

}  // namespace

Kernel cell_forward(const CellStep& step) {
    return step.cell == CellKind::lstm ? on_units<LstmForward, 4>("strata:lstm_forward", step)
                                       : on_units<RnnForward, 2>("strata:rnn_forward", step);
}

Kernel cell_backward(const CellStep& step) {
    return step.cell == CellKind::lstm ? on_units<LstmBackward, 6>("strata:lstm_backward", step)
                                       : on_units<RnnBackward, 3>("strata:rnn_backward", step);
}

Kernel gru_gates(const CellStep& step) {
    return on_units<GruGates, 3>("strata:gru_gates", step);
}

Kernel gru_state(const CellStep& step) {
    return on_units<GruState, 3>("strata:gru_state", step);
}

Kernel gru_state_backward(const CellStep& step) {
    return on_units<GruStateBackward, 5>("strata:gru_state_backward", step);
}

Kernel gru_gates_backward(const CellStep& step) {
    return on_units<GruGatesBackward, 4>("strata:gru_gates_backward", step);
}

Kernel gru_after_forward(const CellStep& step, bool has_bias) {
    return each("strata:gru_forward", units(step), [=](std::span<void* const> at) {
        return GruAfterForward{step,
                               floats(at[0]),
                               floats(at[1]),
                               floats(at[2]),
                               has_bias ? floats(at[3]) : nullptr,
                               floats(at[4]),
                               floats(at[5])};
    });
}

Kernel gru_after_backward(const CellStep& step) {
    return on_units<GruAfterBackward, 7>("strata:gru_backward", step);
}

Kernel add_states(std::int64_t count) {
    return each("strata:add", count, [=](std::span<void* const> at) {
        return AddBody{floats(at[0]), floats(at[1]), floats(at[2])};
    });
}

Kernel copy_state(std::int64_t batch, std::int64_t hidden, std::int64_t from_row) {
    return each("strata:copy", batch * hidden, [=](std::span<void* const> at) {
        return CopyBody{floats(at[0]), floats(at[1]), hidden, from_row};
    });
}

}  // namespace strata::cuda
