// SPDX-License-Identifier: MIT
#include "backend/cuda/recurrent.h"

#include "backend/cuda/kernels/movement.h"
#include "backend/cuda/recurrent_call.h"
#include "backend/cuda/recurrent_cell.h"

namespace strata::cuda {

namespace {

RecurrentProblem problem_of(const Lowering& lowering, const Layer& layer, const Recurrent& op) {
    const Dims& x = lowering.dims(layer.inputs.front());
    const bool narrow = lowering.element_type() != ElementType::f32;
    return {.op = op,
            .steps = x[0],
            .batch = x[1],
            .features = x[2],
            .trains = lowering.trains(),
            .products =
                narrow ? SinglePrecision::tf32 : lowering.execution().numerics.single_precision};
}

class RecurrentLowering : public LayerLowering {
public:
    RecurrentLowering(const Layer& layer, const Recurrent& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const RecurrentProblem problem = problem_of(lowering, layer_, op_);
        const bool by_library =
            lowering.layer_form() == LayerForm::library && may_be_cudnn(problem);
        chosen_ = by_library ? library_recurrent(layer_, problem) : composed_recurrent(layer_, op_);
        chosen_->forward(lowering);
    }
    void backward_data(Lowering& lowering) override { chosen_->backward_data(lowering); }
    void backward_weights(Lowering& lowering) override { chosen_->backward_weights(lowering); }

private:
    const Recurrent& op_;
    Made chosen_;
};

}  // namespace

Made lower(const Layer& layer, const Recurrent& op) {
    return std::make_unique<RecurrentLowering>(layer, op);
}

namespace {

class ComposedRecurrent : public StackedRecurrent<Lowering, CellLowering, LayerLowering> {
public:
    using StackedRecurrent::StackedRecurrent;

protected:
    void compute(Lowering& lowering, std::vector<Call> calls) const override {
        lowering.compute({"cublaslt+strata:" + kind_of(layer_.op),
                          text_of(lowering.dims(input(0)), {ElementType::f32, Order::rows})},
                         std::move(calls));
    }
};

}  // namespace

Made composed_recurrent(const Layer& layer, const Recurrent& op) {
    return std::make_unique<ComposedRecurrent>(layer, op);
}

namespace {

constexpr Format floats = {ElementType::f32, Order::rows};

// In f32 whatever the network computes in, like the composed form.
class LibraryRecurrent : public LayerLowering {
public:
    LibraryRecurrent(const Layer& layer, const RecurrentProblem& problem)
        : LayerLowering(layer),
          problem_(problem),
          library_(std::make_shared<RecurrentLibrary>(problem)) {
        const auto cells = static_cast<std::size_t>(
            problem.op.layers * (problem.op.direction == strata::Direction::bidirectional ? 2 : 1));
        first_parameter_ = layer.inputs.size() - cells * (problem.op.bias ? 3 : 2);
    }

    void forward(Lowering& lowering) override {
        for (const TensorId tensor : layer_.inputs) {
            inputs_.push_back(lowering.value(tensor, floats));
        }
        for (const TensorId tensor : layer_.outputs) {
            outputs_.push_back(lowering.make_value(tensor, floats));
        }
        std::vector<Call> calls;
        if (lowering.trains()) {
            calls.push_back(call(lowering, RecurrentStage::parameters));
        } else {
            lowering.compute_once(call(lowering, RecurrentStage::parameters));
        }
        calls.push_back(call(lowering, RecurrentStage::forward));
        compute(lowering, lowering.trains() ? "parameters copied" : "", std::move(calls));
    }

    void backward_data(Lowering& lowering) override {
        std::vector<Call> calls;
        add_backward_call(lowering, calls);
        compute(lowering, "", std::move(calls));
    }

    void backward_weights(Lowering& lowering) override {
        std::vector<Call> calls;
        if (output_gradients_.empty()) {
            add_backward_call(lowering, calls);
        }
        Views gradients(first_parameter_);
        for (std::size_t i = first_parameter_; i < layer_.inputs.size(); ++i) {
            gradients.emplace_back(lowering.make_gradient(input(i), floats));
        }
        calls.push_back(call(lowering, RecurrentStage::backward_weights, gradients));
        compute(lowering, "gradients copied", std::move(calls));
    }

private:
    using Views = std::vector<std::optional<TensorView>>;

    Call call(Lowering& lowering, RecurrentStage stage, const Views& input_gradients = {}) const {
        RecurrentPlaces views;
        RecurrentSlots slots;
        slots.inputs = views.add(inputs_);
        slots.first_parameter = first_parameter_;
        if (stage != RecurrentStage::parameters) {
            slots.outputs = views.add(outputs_);
            slots.output_gradients = views.add(output_gradients_);
            slots.input_gradients = views.add(input_gradients);
        }
        return {recurrent_call(
                    {stage, problem_.op, std::move(slots), signature_of(lowering.graph(), layer_)},
                    library_),
                views.views()};
    }

    // cuDNN requires the gradient of the result and computes that of the sequence, needed or not.
    void add_backward_call(Lowering& lowering, std::vector<Call>& calls) {
        output_gradients_ = {result_gradient(lowering, calls)};
        for (std::size_t i = 1; i < layer_.outputs.size(); ++i) {
            const TensorId state = layer_.outputs[i];
            output_gradients_.push_back(lowering.needs_gradient(state)
                                            ? std::optional(lowering.gradient(state, floats))
                                            : std::nullopt);
        }
        Views gradients;
        for (std::size_t i = 0; i < first_parameter_; ++i) {
            gradients.push_back(wanted_gradient(lowering, i));
        }
        calls.push_back(call(lowering, RecurrentStage::backward_data, gradients));
    }

    TensorView result_gradient(Lowering& lowering, std::vector<Call>& calls) const {
        if (lowering.needs_gradient(output())) {
            return lowering.gradient(output(), floats);
        }
        const TensorView zeros = lowering.make_transient(lowering.dims(output()), floats);
        calls.push_back({fill("strata:zero", product(zeros.dims), ElementType::f32, 0), {zeros}});
        return zeros;
    }

    std::optional<TensorView> wanted_gradient(Lowering& lowering, std::size_t operand) const {
        if (lowering.needs_gradient(input(operand))) {
            return lowering.make_gradient(input(operand), floats);
        }
        return operand == 0
                   ? std::optional(lowering.make_transient(lowering.dims(input(operand)), floats))
                   : std::nullopt;
    }

    void compute(Lowering& lowering, const std::string& copies, std::vector<Call> calls) const {
        const TensorView& x = *inputs_.front();
        const std::string algorithm = copies.empty() ? "standard" : "standard, " + copies;
        lowering.compute(
            {std::string(recurrent_implementation), text_of(x.dims, x.format), algorithm},
            std::move(calls));
    }

    RecurrentProblem problem_;
    std::shared_ptr<RecurrentLibrary> library_;
    std::size_t first_parameter_;
    Views inputs_;
    Views outputs_;
    Views output_gradients_;
};

}  // namespace

Made library_recurrent(const Layer& layer, const RecurrentProblem& problem) {
    return std::make_unique<LibraryRecurrent>(layer, problem);
}

}  // namespace strata::cuda
