// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/matrix.h"
#include "backend/reference/recurrent_cell.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

using Index = std::ptrdiff_t;
using Floats = std::vector<float>;

double logistic(double x) {
    return 1 / (1 + std::exp(-x));
}

float* block_of(Floats& values, Index time, Index size) {
    return values.data() + time * size;
}

Floats sized(Index count) {
    return Floats(static_cast<std::size_t>(count));
}

// W x + b for all times at once.
Floats input_sums(const CellOperands& o) {
    const Index columns = o.gates() * o.hidden(), rows = o.steps * o.batch;
    const auto weight =
        transposed({o.weight_input, static_cast<std::size_t>(columns * o.width)},
                   static_cast<std::size_t>(columns), static_cast<std::size_t>(o.width));
    Floats sums = product_of({rows, columns, o.width}, {o.x, o.width}, {weight.data(), columns});
    if (o.bias != nullptr) {
        parallel_for(rows * columns, 1,
                     [&](Index i) { sums[static_cast<std::size_t>(i)] += o.bias[i % columns]; });
    }
    return sums;
}

// The computation of one forward pass.
class Forward {
public:
    explicit Forward(const CellOperands& operands)
        : o_(operands),
          weight_(transposed({o_.weight_hidden, static_cast<std::size_t>(columns() * o_.hidden())},
                             static_cast<std::size_t>(columns()),
                             static_cast<std::size_t>(o_.hidden()))) {}

    CellTrace run() {
        trace_.gates = input_sums(o_);
        trace_.states = sized(o_.steps * o_.units());
        trace_.cells = sized(o_.op.cell == CellKind::lstm ? o_.steps * o_.units() : 0);
        trace_.products = sized(o_.op.cell == CellKind::gru ? o_.steps * o_.units() : 0);
        for (Index place = 0; place < o_.steps; ++place) {
            step(place);
        }
        return std::move(trace_);
    }

private:
    Index columns() const { return o_.gates() * o_.hidden(); }

    // The operands and results of a unit of one step.
    struct Unit {
        float* gates = nullptr;       // o_.hidden() apart
        const float* sums = nullptr;  // of U h, at the same place
        double h = 0;                 // before the step
        std::size_t at = 0;           // of this step's states, cells and products
    };

    void step(Index place) {
        const float* h = CellTrace::before(trace_.states, o_, place, o_.first_h);
        const float* c = CellTrace::before(trace_.cells, o_, place, o_.first_c);
        switch (o_.op.cell) {
            case CellKind::rnn_tanh:
                return each(place, h, product(h, 0, 1), 1,
                            [&](const Unit& u) { plain(u, std::tanh(u.gates[0] + u.sums[0])); });
            case CellKind::rnn_relu:
                return each(place, h, product(h, 0, 1), 1, [&](const Unit& u) {
                    plain(u, std::max(0.0, static_cast<double>(u.gates[0]) + u.sums[0]));
                });
            case CellKind::lstm:
                return lstm(place, h, c);
            case CellKind::gru:
                return o_.op.reset_after ? gru_after(place, h) : gru_before(place, h);
        }
    }

    // h times the transposed weights of `count` gates starting with `first`: [batch, count *
    // hidden].
    Floats product(const float* h, Index first, Index count) const {
        return product_of({o_.batch, count * o_.hidden(), o_.hidden()}, {h, o_.hidden()},
                          {weight_.data() + first * o_.hidden(), columns()});
    }

    // Calls body(unit) for every unit; `sums` has `blocks` blocks of hidden values.
    template <class Body>
    void each(Index place, const float* h, const Floats& sums, Index blocks, Body&& body) {
        const Index time = o_.time_of(place), hidden = o_.hidden();
        float* gates = block_of(trace_.gates, time, o_.batch * columns());
        parallel_for(o_.units(), 50, [&](Index i) {
            const Index n = i / hidden, j = i % hidden;
            body(Unit{gates + n * columns() + j, sums.data() + n * blocks * hidden + j, h[i],
                      static_cast<std::size_t>(time * o_.units() + i)});
        });
    }

    void plain(const Unit& unit, double h) {
        trace_.states[unit.at] = unit.gates[0] = static_cast<float>(h);
    }

    double sum(const Unit& unit, Index gate) const {
        return static_cast<double>(unit.gates[gate * o_.hidden()]) + unit.sums[gate * o_.hidden()];
    }

    void lstm(Index place, const float* h, const float* c) {
        const Index hidden = o_.hidden(), start = o_.time_of(place) * o_.units();
        each(place, h, product(h, 0, 4), 4, [&, hidden, start](const Unit& u) {
            const double i = logistic(sum(u, 0)), f = logistic(sum(u, 1));
            const double g = std::tanh(sum(u, 2)), o = logistic(sum(u, 3));
            const double cell = f * c[static_cast<Index>(u.at) - start] + i * g;
            u.gates[0] = static_cast<float>(i);
            u.gates[hidden] = static_cast<float>(f);
            u.gates[2 * hidden] = static_cast<float>(g);
            u.gates[3 * hidden] = static_cast<float>(o);
            trace_.cells[u.at] = static_cast<float>(cell);
            trace_.states[u.at] = static_cast<float>(o * std::tanh(cell));
        });
    }

    // h' = n + z (h - n), once z and r are known.
    void finish_gru(const Unit& unit, double n) {
        const double z = unit.gates[0];
        unit.gates[2 * o_.hidden()] = static_cast<float>(n);
        trace_.states[unit.at] = static_cast<float>(n + z * (unit.h - n));
    }

    void gru_after(Index place, const float* h) {
        const Index hidden = o_.hidden();
        each(place, h, product(h, 0, 3), 3, [&, hidden](const Unit& u) {
            const double further =
                o_.bias == nullptr ? 0.0 : o_.bias[3 * hidden + static_cast<Index>(u.at) % hidden];
            const double z = logistic(sum(u, 0)), r = logistic(sum(u, 1));
            const double reset = static_cast<double>(u.sums[2 * hidden]) + further;
            trace_.products[u.at] = static_cast<float>(reset);
            u.gates[0] = static_cast<float>(z);
            const double n = std::tanh(u.gates[2 * hidden] + r * reset);
            u.gates[hidden] = static_cast<float>(r);
            finish_gru(u, n);
        });
    }

    void gru_before(Index place, const float* h) {
        const Index hidden = o_.hidden();
        each(place, h, product(h, 0, 2), 2, [&, hidden](const Unit& u) {
            const double r = logistic(sum(u, 1));
            u.gates[0] = static_cast<float>(logistic(sum(u, 0)));
            u.gates[hidden] = static_cast<float>(r);
            trace_.products[u.at] = static_cast<float>(r * u.h);
        });
        const float* reset = block_of(trace_.products, o_.time_of(place), o_.units());
        each(place, h, product(reset, 2, 1), 1, [&, hidden](const Unit& u) {
            finish_gru(u, std::tanh(u.gates[2 * hidden] + static_cast<double>(u.sums[0])));
        });
    }

    const CellOperands& o_;
    Floats weight_;  // weight_hidden with its rows as columns
    CellTrace trace_;
};

}  // namespace

CellTrace forward_of(const CellOperands& operands) {
    return Forward(operands).run();
}

const float* CellTrace::before(const std::vector<float>& values, const CellOperands& o,
                               std::ptrdiff_t place, const float* first) {
    return place == 0 ? first : values.data() + o.time_of(place - 1) * o.units();
}

std::ptrdiff_t CellOperands::gates() const {
    switch (op.cell) {
        case CellKind::lstm:
            return 4;
        case CellKind::gru:
            return 3;
        default:
            return 1;
    }
}

}  // namespace strata
