// SPDX-License-Identifier: MIT
#include "backend/cuda/recurrent.h"

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

}  // namespace strata::cuda
