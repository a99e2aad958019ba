// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/layer_lowering.h"
#include "backend/cpu/onednn/recurrent_cell.h"
#include "backend/cpu/onednn/view_calls.h"

namespace strata::cpu {

namespace {

using Dim = dnnl::memory::dim;

// Stacked cells as products of matrices and loops of ours: on this library's 2.6 faster in training
// than its own recurrent primitives, and its backward passes fall apart into that of the data,
// which goes back through time, and that of the weights, which follows it. In f32 whatever the
// network computes in, because a state is rounded as often as there are steps.
class RecurrentLowering : public LayerLowering {
public:
    RecurrentLowering(const Layer& layer, const Recurrent& op)
        : LayerLowering(layer),
          op_(op),
          directions_(op.direction == Direction::bidirectional ? 2 : 1),
          each_(op.bias ? 3 : 2) {}

    void forward(Lowering& lowering) override {
        make_cells(lowering);
        std::vector<Call> calls;
        TensorView x = sequence(lowering);
        for (Dim layer = 0; layer < op_.layers; ++layer) {
            const TensorView y = result_of(lowering, layer);
            sources_.push_back(x);
            for (Dim d = 0; d < directions_; ++d) {
                cell(layer, d).forward(x, y, calls);
            }
            x = part_of(y, 0, {steps_ * batch_, directions_ * op_.hidden});
        }
        write_last_states(lowering, calls);
        compute(lowering, std::move(calls));
    }

    // Goes back through time; the weights' gradients come of what it leaves.
    void backward_data(Lowering& lowering) override {
        std::vector<Call> calls;
        through_time(lowering, calls);
        compute(lowering, std::move(calls));
    }

    void backward_weights(Lowering& lowering) override {
        std::vector<Call> calls;
        if (!went_back_) {
            through_time(lowering, calls);
        }
        for (Dim layer = op_.layers; layer-- > 0;) {
            for (Dim d = 0; d < directions_; ++d) {
                cell(layer, d).weight_gradients(sources_[static_cast<std::size_t>(layer)], calls);
            }
        }
        compute(lowering, std::move(calls));
    }

private:
    std::size_t first_parameter() const {
        const auto cells = static_cast<std::size_t>(op_.layers * directions_);
        return layer_.inputs.size() - cells * each_;
    }

    CellLowering& cell(Dim layer, Dim direction) {
        return *cells_[static_cast<std::size_t>(layer * directions_ + direction)];
    }

    // Of a state operand's or result's view: one cell's [batch, hidden].
    TensorView state_of(const TensorView& states, std::size_t number) const {
        return part_of(states, static_cast<Dim>(number) * batch_ * op_.hidden,
                       {batch_, op_.hidden});
    }

    void make_cells(Lowering& lowering) {
        const auto dims = lowering.extents(input(0));
        steps_ = dims[0];
        batch_ = dims[1];
        for (std::size_t number = 0; number < static_cast<std::size_t>(op_.layers * directions_);
             ++number) {
            cells_.push_back(
                std::make_unique<CellLowering>(lowering, plan_of(lowering, number, dims[2])));
        }
    }

    CellPlan plan_of(Lowering& lowering, std::size_t number, Dim features) const {
        const auto in_layer = static_cast<Dim>(number) % directions_;
        const bool is_first_layer = static_cast<Dim>(number) < directions_;
        const std::size_t parameter = first_parameter() + number * each_;
        CellPlan plan = {.op = op_,
                         .reverse = in_layer == 1 || op_.direction == Direction::reverse,
                         .steps = steps_,
                         .batch = batch_,
                         .width = is_first_layer ? features : directions_ * op_.hidden,
                         .directions = directions_,
                         .direction = in_layer,
                         .weight_input = input(parameter),
                         .weight_hidden = input(parameter + 1)};
        if (op_.bias) {
            plan.bias = input(parameter + 2);
        }
        const auto first = [&](std::size_t operand) -> std::optional<TensorView> {
            if (operand >= first_parameter()) {
                return std::nullopt;
            }
            return state_of(lowering.plain_value(input(operand), ElementType::f32), number);
        };
        plan.first_h = first(1);
        plan.first_c = first(2);
        return plan;
    }

    TensorView sequence(Lowering& lowering) const {
        const TensorView x = lowering.plain_value(input(0), ElementType::f32);
        return part_of(x, 0, {steps_ * batch_, lowering.extents(input(0))[2]});
    }

    TensorView result_of(Lowering& lowering, Dim layer) const {
        const Desc desc = plain({steps_, batch_, directions_ * op_.hidden}, ElementType::f32);
        return layer + 1 == op_.layers ? lowering.make_value(output(), desc)
                                       : lowering.make_transient(desc);
    }

    void write_last_states(Lowering& lowering, std::vector<Call>& calls) const {
        std::vector<TensorView> states;
        for (std::size_t i = 1; i < layer_.outputs.size(); ++i) {
            const TensorId tensor = layer_.outputs[i];
            states.push_back(
                lowering.make_value(tensor, plain(lowering.extents(tensor), ElementType::f32)));
        }
        const auto state = [&](std::size_t which, std::size_t number) -> std::optional<TensorView> {
            return which < states.size() ? std::optional(state_of(states[which], number))
                                         : std::nullopt;
        };
        for (std::size_t number = 0; number < cells_.size(); ++number) {
            cells_[number]->write_last_states(state(0, number), state(1, number), calls);
        }
    }

    void through_time(Lowering& lowering, std::vector<Call>& calls) {
        went_back_ = true;
        const auto last = given_gradients(lowering);
        const auto first = wanted_gradients(lowering);
        TensorView dy = result_gradient(lowering, calls);
        for (Dim layer = op_.layers; layer-- > 0;) {
            const auto dx = source_gradient(lowering, layer);
            for (Dim d = 0; d < directions_; ++d) {
                const auto number = static_cast<std::size_t>(layer * directions_ + d);
                cells_[number]->through_time(dy, of_cell(last, number), of_cell(first, number),
                                             calls);
            }
            if (dx) {
                input_gradient(lowering, layer, *dx, calls);
                dy = *dx;
            }
        }
    }

    // Zeros where only the last states are of use to the network.
    TensorView result_gradient(Lowering& lowering, std::vector<Call>& calls) const {
        if (lowering.needs_gradient(output())) {
            return lowering.plain_gradient(output(), ElementType::f32);
        }
        const auto dims = lowering.extents(output());
        const TensorView zeros = lowering.make_transient(plain(dims, ElementType::f32));
        calls.push_back(clear_call(zeros, product(dims)));
        return zeros;
    }

    // By state: the gradients of the last ones, whole.
    std::vector<std::optional<TensorView>> given_gradients(Lowering& lowering) const {
        std::vector<std::optional<TensorView>> views(2);
        for (std::size_t i = 1; i < layer_.outputs.size(); ++i) {
            const TensorId tensor = layer_.outputs[i];
            if (lowering.needs_gradient(tensor)) {
                views[i - 1] = lowering.plain_gradient(tensor, ElementType::f32);
            }
        }
        return views;
    }

    std::vector<std::optional<TensorView>> wanted_gradients(Lowering& lowering) const {
        std::vector<std::optional<TensorView>> views(2);
        for (std::size_t i = 1; i < first_parameter(); ++i) {
            if (lowering.needs_gradient(input(i))) {
                views[i - 1] = lowering.make_gradient(
                    input(i), plain(lowering.extents(input(i)), ElementType::f32));
            }
        }
        return views;
    }

    StateGradients of_cell(const std::vector<std::optional<TensorView>>& whole,
                           std::size_t number) const {
        StateGradients part;
        if (whole[0]) {
            part.h = state_of(*whole[0], number);
        }
        if (whole[1]) {
            part.c = state_of(*whole[1], number);
        }
        return part;
    }

    // Of what a layer reads; nothing where the network has no use for it.
    std::optional<TensorView> source_gradient(Lowering& lowering, Dim layer) const {
        if (layer > 0) {
            return lowering.make_transient(
                plain({steps_, batch_, directions_ * op_.hidden}, ElementType::f32));
        }
        if (!lowering.needs_gradient(input(0))) {
            return std::nullopt;
        }
        return lowering.make_gradient(input(0),
                                      plain(lowering.extents(input(0)), ElementType::f32));
    }

    void input_gradient(Lowering& lowering, Dim layer, const TensorView& dx,
                        std::vector<Call>& calls) {
        const auto& source = sources_[static_cast<std::size_t>(layer)];
        const auto dims = dims_of(source.desc);
        const TensorView whole = part_of(dx, 0, dims);
        cell(layer, 0).input_gradient(whole, calls);
        if (directions_ > 1) {
            const TensorView other = lowering.make_transient(plain(dims, ElementType::f32));
            cell(layer, 1).input_gradient(other, calls);
            calls.push_back(add_call(whole, other, whole, product(dims)));
        }
    }

    void compute(Lowering& lowering, std::vector<Call> calls) const {
        Bytes workspace;
        for (const auto& one : cells_) {
            workspace = std::max(workspace, one->workspace());
        }
        const std::string by = cells_.front()->implementation() + " and strata:loops";
        lowering.compute({by, text_of(sources_.front().desc)}, std::move(calls), workspace);
    }

    const Recurrent& op_;
    Dim directions_;
    std::size_t each_;  // operands of a cell
    Dim steps_ = 0, batch_ = 0;
    std::vector<std::unique_ptr<CellLowering>> cells_;
    std::vector<TensorView> sources_;  // by layer: what it reads, [steps * batch, features]
    bool went_back_ = false;
};

}  // namespace

Made lower(const Layer& layer, const Recurrent& op) {
    return std::make_unique<RecurrentLowering>(layer, op);
}

}  // namespace strata::cpu
