// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/matrix.h"
#include "backend/reference/recurrent_cell.h"

#include <cmath>

namespace strata {

namespace {

using Index = std::ptrdiff_t;
using Floats = std::vector<float>;

Floats copy_or_zeros(const float* values, Index count) {
    const auto size = static_cast<std::size_t>(count);
    return values == nullptr ? Floats(size) : Floats(values, values + size);
}

// Slopes of the logistic function and of tanh, in terms of the function's value.
double logistic_slope(double y) {
    return y * (1 - y);
}
double tanh_slope(double y) {
    return 1 - y * y;
}

// The computation of one pass backward through time.
class Backward {
public:
    Backward(const CellOperands& operands, const CellTrace& trace, const Floats& dy,
             const float* last_h, const float* last_c)
        : o_(operands),
          trace_(trace),
          dy_(dy),
          dh_(copy_or_zeros(last_h, o_.units())),
          dc_(copy_or_zeros(last_c, o_.op.cell == CellKind::lstm ? o_.units() : 0)) {}

    CellGradients run() {
        const auto sums = static_cast<std::size_t>(o_.steps * o_.batch * columns());
        gradients_.gates.resize(sums);
        gradients_.products.resize(sums);
        for (Index place = o_.steps; place-- > 0;) {
            step(place);
        }
        gradients_.first_h = std::move(dh_);
        gradients_.first_c = std::move(dc_);
        return std::move(gradients_);
    }

private:
    Index columns() const { return o_.gates() * o_.hidden(); }

    // One unit of one step: the blocks of its row are o_.hidden() apart.
    struct Unit {
        const float* gates = nullptr;
        float* to_gates = nullptr;
        float* to_products = nullptr;
        std::size_t at = 0;    // of this step's states
        std::size_t unit = 0;  // among the units of a step
        double dh = 0;
    };

    template <class Body>
    void each(Index place, Body&& body) {
        const Index time = o_.time_of(place), hidden = o_.hidden();
        parallel_for(o_.units(), 50, [&](Index i) {
            const Index row = (time * o_.batch + i / hidden) * columns() + i % hidden;
            const auto at = static_cast<std::size_t>(time * o_.units() + i);
            const auto unit = static_cast<std::size_t>(i);
            body(Unit{trace_.gates.data() + row, gradients_.gates.data() + row,
                      gradients_.products.data() + row, at, unit,
                      static_cast<double>(dy_[at]) + dh_[unit]});
        });
    }

    void set(const Unit& unit, Index gate, double gradient) const {
        unit.to_gates[gate * o_.hidden()] = unit.to_products[gate * o_.hidden()] =
            static_cast<float>(gradient);
    }

    void step(Index place) {
        switch (o_.op.cell) {
            case CellKind::rnn_tanh:
                each(place, [&](const Unit& u) { set(u, 0, u.dh * tanh_slope(u.gates[0])); });
                return plain_states(place);
            case CellKind::rnn_relu:
                each(place, [&](const Unit& u) { set(u, 0, u.gates[0] > 0 ? u.dh : 0); });
                return plain_states(place);
            case CellKind::lstm:
                lstm(place);
                return plain_states(place);
            case CellKind::gru:
                return o_.op.reset_after ? gru_after(place) : gru_before(place);
        }
    }

    // The gradients [batch, count * hidden] from gate `first` on, times their weights: [batch,
    // hidden].
    Floats product(Index place, Index first, Index count) const {
        const Index offset = o_.time_of(place) * o_.batch * columns() + first * o_.hidden();
        return product_of({o_.batch, o_.hidden(), count * o_.hidden()},
                          {gradients_.products.data() + offset, columns()},
                          {o_.weight_hidden + first * o_.hidden() * o_.hidden(), o_.hidden()});
    }

    // Cells whose new state depends on the previous one only through the product.
    void plain_states(Index place) { dh_ = product(place, 0, o_.gates()); }

    void lstm(Index place) {
        const Index hidden = o_.hidden();
        const float* before = CellTrace::before(trace_.cells, o_, place, o_.first_c);
        each(place, [&, hidden](const Unit& u) {
            const double i = u.gates[0], f = u.gates[hidden];
            const double g = u.gates[2 * hidden], o = u.gates[3 * hidden];
            const double tanh_c = std::tanh(static_cast<double>(trace_.cells[u.at]));
            const double dc = dc_[u.unit] + u.dh * o * tanh_slope(tanh_c);
            set(u, 0, dc * g * logistic_slope(i));
            set(u, 1, dc * before[u.unit] * logistic_slope(f));
            set(u, 2, dc * i * tanh_slope(g));
            set(u, 3, u.dh * tanh_c * logistic_slope(o));
            dc_[u.unit] = static_cast<float>(dc * f);
        });
    }

    // The gradients of z and n, and the gradient that bypasses the gates.
    void begin_gru(Index place, Floats& passed) {
        const Index hidden = o_.hidden();
        const float* before = CellTrace::before(trace_.states, o_, place, o_.first_h);
        each(place, [&, hidden](const Unit& u) {
            const double z = u.gates[0], n = u.gates[2 * hidden];
            set(u, 0, u.dh * (before[u.unit] - n) * logistic_slope(z));
            set(u, 2, u.dh * (1 - z) * tanh_slope(n));
            passed[u.unit] = static_cast<float>(u.dh * z);
        });
    }

    void gru_after(Index place) {
        const Index hidden = o_.hidden();
        Floats passed(dh_.size());
        begin_gru(place, passed);
        each(place, [&, hidden](const Unit& u) {
            const double r = u.gates[hidden], dn = u.to_gates[2 * hidden];
            set(u, 1, dn * trace_.products[u.at] * logistic_slope(r));
            u.to_products[2 * hidden] = static_cast<float>(dn * r);
        });
        add_up(passed, product(place, 0, 3));
    }

    void gru_before(Index place) {
        const Index hidden = o_.hidden();
        Floats passed(dh_.size());
        begin_gru(place, passed);
        const Floats reset = product(place, 2, 1);  // d / d(r h)
        const float* before = CellTrace::before(trace_.states, o_, place, o_.first_h);
        each(place, [&, hidden](const Unit& u) {
            const double r = u.gates[hidden], d = reset[u.unit];
            set(u, 1, d * before[u.unit] * logistic_slope(r));
            passed[u.unit] = static_cast<float>(passed[u.unit] + d * r);
        });
        add_up(passed, product(place, 0, 2));
    }

    void add_up(const Floats& passed, const Floats& through_gates) {
        parallel_for(dh_.size(), 1, [&](std::size_t i) { dh_[i] = passed[i] + through_gates[i]; });
    }

    const CellOperands& o_;
    const CellTrace& trace_;
    const Floats& dy_;
    Floats dh_, dc_;
    CellGradients gradients_;
};

}  // namespace

CellGradients backward_of(const CellOperands& operands, const CellTrace& trace,
                          const std::vector<float>& dy, const float* last_h, const float* last_c) {
    return Backward(operands, trace, dy, last_h, last_c).run();
}

}  // namespace strata
