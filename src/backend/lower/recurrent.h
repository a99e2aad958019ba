// SPDX-License-Identifier: MIT
#pragma once

#include "backend/lower/lowering.h"

#include <array>

// Stacked recurrent cells, independent of a cell's implementation: the operands of each cell, the
// order of the cells, and their gradients.
namespace strata {

// One direction of one layer of a Recurrent: its place in the stack and what it reads.
template <class View>
struct CellPlan {
    const Recurrent& op;
    const Layer& layer;
    bool reverse = false;
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int64_t width = 0;       // features of x
    std::int64_t directions = 1;  // that share a row of y
    std::int64_t direction = 0;   // this one's part of a row
    TensorId weight_input = 0;
    TensorId weight_hidden = 0;
    std::optional<TensorId> bias = {};
    std::optional<View> first_h = {};  // [batch, hidden]
    std::optional<View> first_c = {};
};

// The states h and c outside the sequence; absent if there are none, or none is needed.
template <class View>
struct CellStates {
    std::optional<View> h = {};
    std::optional<View> c = {};
};

// Layers of cells as matrix products and an engine's kernels. In f32 whatever the network computes
// in, because a state is rounded once per step. The backward pass for the data goes back through
// time; the one for the weights uses its results.
//
// A Cell makes the calls of one direction of one layer, all on f32 rows. It is constructed from an
// engine and a CellPlan, and has
//   forward(x, y, calls), where x is [steps * batch, width] and y [steps, batch, directions *
// hidden];
//   write_last_states(states, calls);
//   through_time(dy, last, first, calls): `last` are the gradients of the last states, `first`
//     receives those of the first;
//   input_gradient(dx, accumulates, calls) and weight_gradients(x, calls), after that;
//   static rows(dims), the layout of f32 rows, and zero(view, count), the call that clears one.
// Base is the engine's own LoweringOfLayer.
template <class Engine, class Cell, class Base>
class StackedRecurrent : public Base {
public:
    using View = typename Engine::View;
    using Calls = std::vector<typename Engine::Call>;

    StackedRecurrent(const Layer& layer, const Recurrent& op)
        : Base(layer),
          op_(op),
          directions_(op.direction == Direction::bidirectional ? 2 : 1),
          each_(op.bias ? 3 : 2) {}

    void forward(Engine& engine) override {
        make_cells(engine);
        Calls calls;
        View x = value_of(engine, this->input(0));
        std::int64_t width = dims_of(engine, this->input(0))[2];
        for (std::int64_t layer = 0; layer < op_.layers; ++layer) {
            const View y = result_of(engine, layer);
            sources_.push_back(part_of(x, 0, {steps_ * batch_, width}));
            for (std::int64_t d = 0; d < directions_; ++d) {
                cell(layer, d).forward(sources_.back(), y, calls);
            }
            x = y;
            width = directions_ * op_.hidden;
        }
        write_last_states(engine, calls);
        compute(engine, std::move(calls));
    }

    void backward_data(Engine& engine) override {
        Calls calls;
        through_time(engine, calls);
        compute(engine, std::move(calls));
    }

    void backward_weights(Engine& engine) override {
        Calls calls;
        if (!went_back_) {
            through_time(engine, calls);
        }
        for (std::int64_t layer = op_.layers; layer-- > 0;) {
            for (std::int64_t d = 0; d < directions_; ++d) {
                cell(layer, d).weight_gradients(sources_[static_cast<std::size_t>(layer)], calls);
            }
        }
        compute(engine, std::move(calls));
    }

protected:
    // Adds the step of a pass.
    virtual void compute(Engine& engine, Calls calls) const = 0;

    const std::vector<std::unique_ptr<Cell>>& cells() const { return cells_; }

private:
    using States = CellStates<View>;
    using Common = typename Engine::GraphLowering;

    std::size_t cell_count() const { return static_cast<std::size_t>(op_.layers * directions_); }
    std::size_t first_parameter() const {
        return this->layer_.inputs.size() - cell_count() * each_;
    }

    Cell& cell(std::int64_t layer, std::int64_t direction) {
        return *cells_[static_cast<std::size_t>(layer * directions_ + direction)];
    }

    static const Dims& dims_of(const Engine& engine, TensorId tensor) {
        return engine.graph().tensors[tensor].tensor.dims;
    }
    static View value_of(Engine& engine, TensorId tensor) {
        return engine.value(tensor, Cell::rows(dims_of(engine, tensor)));
    }
    static View gradient_of(Engine& engine, TensorId tensor) {
        return engine.gradient(tensor, Cell::rows(dims_of(engine, tensor)));
    }
    // An engine's own functions with these names may hide these.
    static View make_value(Engine& engine, TensorId tensor) {
        return engine.Common::make_value(tensor, Cell::rows(dims_of(engine, tensor)));
    }
    static View make_gradient(Engine& engine, TensorId tensor) {
        return engine.Common::make_gradient(tensor, Cell::rows(dims_of(engine, tensor)));
    }
    static View make_transient(Engine& engine, const Dims& dims) {
        return engine.Common::make_transient(Cell::rows(dims));
    }

    // One cell's [batch, hidden] part of the states of all cells.
    States of_cell(const States& states, std::size_t number) const {
        const auto part = [&](const std::optional<View>& all) -> std::optional<View> {
            const std::int64_t first = static_cast<std::int64_t>(number) * batch_ * op_.hidden;
            return all ? std::optional(part_of(*all, first, {batch_, op_.hidden})) : std::nullopt;
        };
        return {part(states.h), part(states.c)};
    }

    void make_cells(Engine& engine) {
        const Dims& dims = dims_of(engine, this->input(0));
        steps_ = dims[0];
        batch_ = dims[1];
        const States first = {state_operand(engine, 1), state_operand(engine, 2)};
        for (std::size_t number = 0; number < cell_count(); ++number) {
            const auto plan = plan_of(number, dims[2], of_cell(first, number));
            cells_.push_back(std::make_unique<Cell>(engine, plan));
        }
    }

    std::optional<View> state_operand(Engine& engine, std::size_t operand) const {
        return operand < first_parameter() ? std::optional(value_of(engine, this->input(operand)))
                                           : std::nullopt;
    }

    CellPlan<View> plan_of(std::size_t number, std::int64_t features, const States& first) const {
        const auto in_layer = static_cast<std::int64_t>(number) % directions_;
        const bool is_first_layer = static_cast<std::int64_t>(number) < directions_;
        const std::size_t parameter = first_parameter() + number * each_;
        CellPlan<View> plan = {.op = op_,
                               .layer = this->layer_,
                               .reverse = in_layer == 1 || op_.direction == Direction::reverse,
                               .steps = steps_,
                               .batch = batch_,
                               .width = is_first_layer ? features : directions_ * op_.hidden,
                               .directions = directions_,
                               .direction = in_layer,
                               .weight_input = this->input(parameter),
                               .weight_hidden = this->input(parameter + 1),
                               .first_h = first.h,
                               .first_c = first.c};
        if (op_.bias) {
            plan.bias = this->input(parameter + 2);
        }
        return plan;
    }

    View result_of(Engine& engine, std::int64_t layer) const {
        return layer + 1 == op_.layers
                   ? make_value(engine, this->output())
                   : make_transient(engine, {steps_, batch_, directions_ * op_.hidden});
    }

    void write_last_states(Engine& engine, Calls& calls) const {
        States last;
        const std::array states = {&last.h, &last.c};
        for (std::size_t i = 1; i < this->layer_.outputs.size(); ++i) {
            *states.at(i - 1) = make_value(engine, this->layer_.outputs[i]);
        }
        for (std::size_t number = 0; number < cells_.size(); ++number) {
            cells_[number]->write_last_states(of_cell(last, number), calls);
        }
    }

    void through_time(Engine& engine, Calls& calls) {
        went_back_ = true;
        const States last = given_gradients(engine);
        const States first = wanted_gradients(engine);
        View dy = result_gradient(engine, calls);
        for (std::int64_t layer = op_.layers; layer-- > 0;) {
            const auto dx = source_gradient(engine, layer);
            for (std::int64_t d = 0; d < directions_; ++d) {
                const auto number = static_cast<std::size_t>(layer * directions_ + d);
                cells_[number]->through_time(dy, of_cell(last, number), of_cell(first, number),
                                             calls);
                if (dx) {
                    cells_[number]->input_gradient(*dx, d > 0, calls);
                }
            }
            dy = dx.value_or(dy);
        }
    }

    // Zeros if the network uses only the last states.
    View result_gradient(Engine& engine, Calls& calls) const {
        if (engine.needs_gradient(this->output())) {
            return gradient_of(engine, this->output());
        }
        const Dims& dims = dims_of(engine, this->output());
        const View zeros = make_transient(engine, dims);
        calls.push_back(Cell::zero(zeros, product(dims)));
        return zeros;
    }

    States given_gradients(Engine& engine) const {
        States views;
        const std::array states = {&views.h, &views.c};
        for (std::size_t i = 1; i < this->layer_.outputs.size(); ++i) {
            if (engine.needs_gradient(this->layer_.outputs[i])) {
                *states.at(i - 1) = gradient_of(engine, this->layer_.outputs[i]);
            }
        }
        return views;
    }

    States wanted_gradients(Engine& engine) const {
        States views;
        const std::array states = {&views.h, &views.c};
        for (std::size_t i = 1; i < first_parameter(); ++i) {
            if (engine.needs_gradient(this->input(i))) {
                *states.at(i - 1) = make_gradient(engine, this->input(i));
            }
        }
        return views;
    }

    // The gradient of a layer's input; empty if the network does not need it.
    std::optional<View> source_gradient(Engine& engine, std::int64_t layer) const {
        if (layer > 0) {
            return make_transient(engine, {steps_, batch_, directions_ * op_.hidden});
        }
        return engine.needs_gradient(this->input(0))
                   ? std::optional(make_gradient(engine, this->input(0)))
                   : std::nullopt;
    }

    const Recurrent& op_;
    std::int64_t directions_;
    std::size_t each_;  // operands of a cell
    std::int64_t steps_ = 0;
    std::int64_t batch_ = 0;
    std::vector<std::unique_ptr<Cell>> cells_;
    std::vector<View> sources_;  // by layer: its input, [steps * batch, features]
    bool went_back_ = false;
};

}  // namespace strata
