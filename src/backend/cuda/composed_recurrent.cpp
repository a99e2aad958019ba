// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/copy.h"
#include "backend/cuda/recurrent.h"
#include "backend/cuda/recurrent_cell.h"

#include <algorithm>

namespace strata::cuda {

namespace {

constexpr Format floats = {ElementType::f32, Order::rows};

// Stacked cells as products of matrices and kernels of ours. In f32 whatever the network computes
// in, because a state is rounded as often as there are steps.
class ComposedRecurrent : public LayerLowering {
public:
    ComposedRecurrent(const Layer& layer, const Recurrent& op)
        : LayerLowering(layer),
          op_(op),
          directions_(op.direction == strata::Direction::bidirectional ? 2 : 1),
          each_(op.bias ? 3 : 2) {}

    void forward(Lowering& lowering) override {
        make_cells(lowering);
        std::vector<Call> calls;
        TensorView x = lowering.value(input(0), floats);
        for (std::int64_t layer = 0; layer < op_.layers; ++layer) {
            const TensorView y = result_of(lowering, layer);
            sources_.push_back(x);
            for (std::int64_t d = 0; d < directions_; ++d) {
                cell(layer, d).forward(x, y, calls);
            }
            x = y;
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
        for (std::int64_t layer = op_.layers; layer-- > 0;) {
            for (std::int64_t d = 0; d < directions_; ++d) {
                cell(layer, d).weight_gradients(sources_[static_cast<std::size_t>(layer)], calls);
            }
        }
        compute(lowering, std::move(calls));
    }

private:
    using States = std::array<std::optional<TensorView>, 2>;  // h and c, of all cells

    std::size_t cell_count() const { return static_cast<std::size_t>(op_.layers * directions_); }
    std::size_t first_parameter() const { return layer_.inputs.size() - cell_count() * each_; }

    CellLowering& cell(std::int64_t layer, std::int64_t direction) {
        return *cells_[static_cast<std::size_t>(layer * directions_ + direction)];
    }

    // Of the states of all cells, one cell's [batch, hidden].
    std::optional<TensorView> of_cell(const std::optional<TensorView>& states,
                                      std::size_t number) const {
        return states ? std::optional(part_of(
                            *states, static_cast<std::int64_t>(number) * batch_ * op_.hidden,
                            {batch_, op_.hidden}))
                      : std::nullopt;
    }

    void make_cells(Lowering& lowering) {
        const Dims& dims = lowering.dims(input(0));
        steps_ = dims[0];
        batch_ = dims[1];
        const States first = {state_operand(lowering, 1), state_operand(lowering, 2)};
        for (std::size_t number = 0; number < cell_count(); ++number) {
            cells_.push_back(
                std::make_unique<CellLowering>(lowering, plan_of(number, dims[2], first)));
        }
    }

    std::optional<TensorView> state_operand(Lowering& lowering, std::size_t operand) const {
        return operand < first_parameter() ? std::optional(lowering.value(input(operand), floats))
                                           : std::nullopt;
    }

    CellPlan plan_of(std::size_t number, std::int64_t features, const States& first) const {
        const auto in_layer = static_cast<std::int64_t>(number) % directions_;
        const bool is_first_layer = static_cast<std::int64_t>(number) < directions_;
        const std::size_t parameter = first_parameter() + number * each_;
        CellPlan plan = {.op = op_,
                         .reverse = in_layer == 1 || op_.direction == strata::Direction::reverse,
                         .steps = steps_,
                         .batch = batch_,
                         .width = is_first_layer ? features : directions_ * op_.hidden,
                         .directions = directions_,
                         .direction = in_layer,
                         .weight_input = input(parameter),
                         .weight_hidden = input(parameter + 1),
                         .first_h = of_cell(first[0], number),
                         .first_c = of_cell(first[1], number)};
        if (op_.bias) {
            plan.bias = input(parameter + 2);
        }
        return plan;
    }

    TensorView result_of(Lowering& lowering, std::int64_t layer) const {
        return layer + 1 == op_.layers
                   ? lowering.make_value(output(), floats)
                   : lowering.make_transient({steps_, batch_, directions_ * op_.hidden}, floats);
    }

    void write_last_states(Lowering& lowering, std::vector<Call>& calls) const {
        States last;
        for (std::size_t i = 1; i < layer_.outputs.size(); ++i) {
            last[i - 1] = lowering.make_value(layer_.outputs[i], floats);
        }
        for (std::size_t number = 0; number < cells_.size(); ++number) {
            cells_[number]->write_last_states(of_cell(last[0], number), of_cell(last[1], number),
                                              calls);
        }
    }

    void through_time(Lowering& lowering, std::vector<Call>& calls) {
        went_back_ = true;
        const States last = given_gradients(lowering);
        const States first = wanted_gradients(lowering);
        TensorView dy = result_gradient(lowering, calls);
        for (std::int64_t layer = op_.layers; layer-- > 0;) {
            const auto dx = source_gradient(lowering, layer);
            for (std::int64_t d = 0; d < directions_; ++d) {
                const auto number = static_cast<std::size_t>(layer * directions_ + d);
                cells_[number]->through_time(
                    dy, {of_cell(last[0], number), of_cell(last[1], number)},
                    {of_cell(first[0], number), of_cell(first[1], number)}, calls);
                if (dx) {
                    cells_[number]->input_gradient(*dx, d > 0, calls);
                }
            }
            dy = dx.value_or(dy);
        }
    }

    // Zeros where only the last states are of use to the network.
    TensorView result_gradient(Lowering& lowering, std::vector<Call>& calls) const {
        if (lowering.needs_gradient(output())) {
            return lowering.gradient(output(), floats);
        }
        const TensorView zeros = lowering.make_transient(lowering.dims(output()), floats);
        calls.push_back({fill("strata:zero", product(zeros.dims), ElementType::f32, 0), {zeros}});
        return zeros;
    }

    States given_gradients(Lowering& lowering) const {
        States views;
        for (std::size_t i = 1; i < layer_.outputs.size(); ++i) {
            if (lowering.needs_gradient(layer_.outputs[i])) {
                views[i - 1] = lowering.gradient(layer_.outputs[i], floats);
            }
        }
        return views;
    }

    States wanted_gradients(Lowering& lowering) const {
        States views;
        for (std::size_t i = 1; i < first_parameter(); ++i) {
            if (lowering.needs_gradient(input(i))) {
                views[i - 1] = lowering.make_gradient(input(i), floats);
            }
        }
        return views;
    }

    // Of what a layer reads; nothing where the network has no use for it.
    std::optional<TensorView> source_gradient(Lowering& lowering, std::int64_t layer) const {
        if (layer > 0) {
            return lowering.make_transient({steps_, batch_, directions_ * op_.hidden}, floats);
        }
        return lowering.needs_gradient(input(0))
                   ? std::optional(lowering.make_gradient(input(0), floats))
                   : std::nullopt;
    }

    void compute(Lowering& lowering, std::vector<Call> calls) const {
        const TensorView& source = sources_.front();
        lowering.compute(
            {"cublaslt+strata:" + kind_of(layer_.op), text_of(source.dims, source.format)},
            std::move(calls));
    }

    const Recurrent& op_;
    std::int64_t directions_;
    std::size_t each_;  // operands of a cell
    std::int64_t steps_ = 0;
    std::int64_t batch_ = 0;
    std::vector<std::unique_ptr<CellLowering>> cells_;
    std::vector<TensorView> sources_;  // by layer: what it reads, [steps * batch, features]
    bool went_back_ = false;
};

}  // namespace

Made composed_recurrent(const Layer& layer, const Recurrent& op) {
    return std::make_unique<ComposedRecurrent>(layer, op);
}

}  // namespace strata::cuda
