// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/matrix.h"
#include "backend/reference/operators.h"
#include "backend/reference/recurrent_cell.h"

#include <algorithm>

namespace strata {

namespace {

using Index = std::ptrdiff_t;
using Floats = std::vector<float>;

// One direction of one layer: its number, and the first operand among its parameters.
struct Cell {
    Index number = 0;  // among all cells, in the order of the states
    bool reverse = false;
    std::size_t weight_input = 0;
};

// The layers of one operator on its operands; `inner[l]` is the input of layer l.
class Stack {
public:
    Stack(const Recurrent& op, const ReferenceOperands& operands)
        : op_(op),
          operands_(operands),
          directions_(op.direction == Direction::bidirectional ? 2 : 1),
          steps_(operands.input_dims(0)[0]),
          batch_(operands.input_dims(0)[1]),
          zeros_(static_cast<std::size_t>(units())) {
        const auto cells = static_cast<std::size_t>(op.layers * directions_);
        first_parameter_ = operands.inputs.size() - cells * parameters_each();
    }

    void forward() {
        inner_ = {Floats(operands_.inputs[0].begin(), operands_.inputs[0].end())};
        traces_.clear();
        for (Index layer = 0; layer < op_.layers; ++layer) {
            Floats y(static_cast<std::size_t>(steps_ * units() * directions_));
            for (Index d = 0; d < directions_; ++d) {
                const Cell cell = cell_of(layer, d);
                traces_.push_back(forward_of(operands_of(cell, inner_.back())));
                place_states(traces_.back().states, d, y);
            }
            inner_.push_back(std::move(y));
        }
    }

    void write_outputs() const {
        std::ranges::copy(inner_.back(), operands_.outputs[0].begin());
        for (std::size_t state = 1; state < operands_.outputs.size(); ++state) {
            for (Index number = 0; number < op_.layers * directions_; ++number) {
                write_last(number, state);
            }
        }
    }

    // Requires: forward.
    void backward() {
        Floats dy(operands_.output_gradients[0].begin(), operands_.output_gradients[0].end());
        dy.resize(inner_.back().size());  // the network may use only the last states
        for (Index layer = op_.layers; layer-- > 0;) {
            Floats dx(inner_[static_cast<std::size_t>(layer)].size());
            for (Index d = 0; d < directions_; ++d) {
                backward(cell_of(layer, d), layer, d, dy, dx);
            }
            dy = std::move(dx);
        }
        if (operands_.wants_gradient(0)) {
            std::ranges::copy(dy, operands_.input_gradients[0].begin());
        }
    }

private:
    Index units() const { return batch_ * op_.hidden; }
    std::size_t parameters_each() const { return op_.bias ? 3 : 2; }
    bool has_first_states() const { return first_parameter_ > 1; }

    Cell cell_of(Index layer, Index direction) const {
        const Index number = layer * directions_ + direction;
        return {number, direction == 1 || op_.direction == Direction::reverse,
                first_parameter_ + static_cast<std::size_t>(number) * parameters_each()};
    }

    // One cell's values within a state operand or result.
    template <class Values>
    auto state_of(const Values& values, Index number) const {
        return values.subspan(static_cast<std::size_t>(number * units()),
                              static_cast<std::size_t>(units()));
    }

    CellOperands operands_of(const Cell& cell, const Floats& x) const {
        const auto first = [&](std::size_t state) {
            return has_first_states() && state < first_parameter_
                       ? state_of(operands_.inputs[state], cell.number).data()
                       : zeros_.data();
        };
        return {.op = op_,
                .reverse = cell.reverse,
                .steps = steps_,
                .batch = batch_,
                .width = static_cast<Index>(x.size()) / (steps_ * batch_),
                .x = x.data(),
                .weight_input = operands_.inputs[cell.weight_input].data(),
                .weight_hidden = operands_.inputs[cell.weight_input + 1].data(),
                .bias = op_.bias ? operands_.inputs[cell.weight_input + 2].data() : nullptr,
                .first_h = first(1),
                .first_c = first(2)};
    }

    // y[t, n, d * hidden + j] = states[t, n, j]
    void place_states(const Floats& states, Index direction, Floats& y) const {
        const Index hidden = op_.hidden;
        for (Index row = 0; row < steps_ * batch_; ++row) {
            std::copy_n(states.begin() + row * hidden, hidden,
                        y.begin() + (row * directions_ + direction) * hidden);
        }
    }

    void write_last(Index number, std::size_t state) const {
        const bool reverse = number % directions_ == 1 || op_.direction == Direction::reverse;
        const CellTrace& trace = traces_[static_cast<std::size_t>(number)];
        const Floats& values = state == 1 ? trace.states : trace.cells;
        const Index last = reverse ? 0 : steps_ - 1;
        std::copy_n(values.begin() + last * units(), units(),
                    state_of(operands_.outputs[state], number).begin());
    }

    const float* last_gradient(Index number, std::size_t state) const {
        const bool given =
            state < operands_.output_gradients.size() && !operands_.output_gradients[state].empty();
        return given ? state_of(operands_.output_gradients[state], number).data() : nullptr;
    }

    void backward(const Cell& cell, Index layer, Index direction, const Floats& dy, Floats& dx) {
        const Floats& x = inner_[static_cast<std::size_t>(layer)];
        const CellOperands o = operands_of(cell, x);
        const CellTrace& trace = traces_[static_cast<std::size_t>(cell.number)];
        const CellGradients gradients =
            backward_of(o, trace, own_part(dy, direction), last_gradient(cell.number, 1),
                        last_gradient(cell.number, 2));
        if (layer > 0 || operands_.wants_gradient(0)) {
            add_input_gradient(o, gradients, dx);
        }
        write_first(cell.number, 1, gradients.first_h);
        write_first(cell.number, 2, gradients.first_c);
        write_parameters(cell, o, trace, gradients);
    }

    Floats own_part(const Floats& dy, Index direction) const {
        const Index hidden = op_.hidden;
        Floats part(static_cast<std::size_t>(steps_ * units()));
        for (Index row = 0; row < steps_ * batch_; ++row) {
            std::copy_n(dy.begin() + (row * directions_ + direction) * hidden, hidden,
                        part.begin() + row * hidden);
        }
        return part;
    }

    // dx += (gradient of the gates) W
    void add_input_gradient(const CellOperands& o, const CellGradients& gradients,
                            Floats& dx) const {
        const Index columns = o.gates() * o.hidden();
        const Floats part =
            product_of({steps_ * batch_, o.width, columns}, {gradients.gates.data(), columns},
                       {o.weight_input, o.width});
        std::ranges::transform(dx, part, dx.begin(), std::plus<>());
    }

    void write_first(Index number, std::size_t operand, const Floats& gradient) const {
        if (operand < first_parameter_ && operands_.wants_gradient(operand)) {
            std::ranges::copy(gradient,
                              state_of(operands_.input_gradients[operand], number).begin());
        }
    }

    void write_parameters(const Cell& cell, const CellOperands& o, const CellTrace& trace,
                          const CellGradients& gradients) const {
        const Index columns = o.gates() * o.hidden(), rows = steps_ * batch_;
        if (operands_.wants_gradient(cell.weight_input)) {
            const Floats dw = product_of({columns, o.width, rows},
                                         {gradients.gates.data(), 1, columns}, {o.x, o.width});
            std::ranges::copy(dw, operands_.input_gradients[cell.weight_input].begin());
        }
        if (operands_.wants_gradient(cell.weight_input + 1)) {
            write_hidden_gradient(o, trace, gradients,
                                  operands_.input_gradients[cell.weight_input + 1]);
        }
        if (op_.bias && operands_.wants_gradient(cell.weight_input + 2)) {
            write_bias_gradient(o, gradients, operands_.input_gradients[cell.weight_input + 2]);
        }
    }

    // Each gate's weight was multiplied by the state before the step, except the third of a GRU
    // that resets before its product: that one by r h.
    void write_hidden_gradient(const CellOperands& o, const CellTrace& trace,
                               const CellGradients& gradients, std::span<float> result) const {
        const Index columns = o.gates() * o.hidden();
        Floats before(trace.states.size());
        for (Index place = 0; place < steps_; ++place) {
            std::copy_n(CellTrace::before(trace.states, o, place, o.first_h), units(),
                        before.begin() + o.time_of(place) * units());
        }
        const bool resets_before = op_.cell == CellKind::gru && !op_.reset_after;
        const Index plain = resets_before ? 2 * o.hidden() : columns;
        const auto write = [&](Index first, Index count, const Floats& met) {
            const Floats part = product_of({count, o.hidden(), steps_ * batch_},
                                           {gradients.products.data() + first, 1, columns},
                                           {met.data(), o.hidden()});
            std::ranges::copy(part, result.begin() + first * o.hidden());
        };
        write(0, plain, before);
        if (resets_before) {
            write(plain, o.hidden(), trace.products);
        }
    }

    void write_bias_gradient(const CellOperands& o, const CellGradients& gradients,
                             std::span<float> result) const {
        const Index columns = o.gates() * o.hidden();
        parallel_for(static_cast<Index>(result.size()), static_cast<double>(steps_ * batch_),
                     [&](Index i) {
                         const bool further = i >= columns;
                         const Floats& from = further ? gradients.products : gradients.gates;
                         const Index column = further ? i - o.hidden() : i;
                         double sum = 0;
                         for (Index row = 0; row < steps_ * batch_; ++row) {
                             sum += from[static_cast<std::size_t>(row * columns + column)];
                         }
                         result[static_cast<std::size_t>(i)] = static_cast<float>(sum);
                     });
    }

    const Recurrent& op_;
    const ReferenceOperands& operands_;
    Index directions_, steps_, batch_;
    Floats zeros_;
    std::size_t first_parameter_ = 0;
    std::vector<Floats> inner_;  // the input of each layer, and the last one's result
    std::vector<CellTrace> traces_;
};

}  // namespace

void reference_forward(const Recurrent& op, const ReferenceOperands& operands) {
    Stack stack(op, operands);
    stack.forward();
    stack.write_outputs();
}

void reference_backward(const Recurrent& op, const ReferenceOperands& operands) {
    Stack stack(op, operands);
    stack.forward();
    stack.backward();
}

}  // namespace strata
