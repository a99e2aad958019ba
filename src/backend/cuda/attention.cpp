// SPDX-License-Identifier: MIT
#include "backend/cuda/attention.h"

namespace strata::cuda {

namespace {

enum Operand : std::size_t { mask = 3 };

class AttentionLowering : public LayerLowering {
public:
    AttentionLowering(const Layer& layer, const Attention& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        if (lowering.layer_form() == LayerForm::library) {
            chosen_ = fused_attention(lowering, layer_, op_);
        }
        if (!chosen_) {
            chosen_ = unfused_attention(layer_, op_);
        }
        chosen_->forward(lowering);
    }

    void backward_data(Lowering& lowering) override {
        if (layer_.inputs.size() > mask && lowering.needs_gradient(input(mask))) {
            throw Refusal{"the mask's gradient is not computed"};
        }
        chosen_->backward_data(lowering);
    }

private:
    const Attention& op_;
    Made chosen_;
};

}  // namespace

Made lower(const Layer& layer, const Attention& op) {
    return std::make_unique<AttentionLowering>(layer, op);
}

}  // namespace strata::cuda
