// SPDX-License-Identifier: MIT
#include "backend/cuda/attention.h"

namespace strata::cuda {

namespace {

enum Operand : std::size_t { mask = 3 };

class AttentionLowering : public LayerLowering {
public:
    AttentionLowering(const Layer& layer, const Attention& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        FusedLayer fused;
        if (lowering.layer_form() == LayerForm::library) {
            fused = fused_attention(lowering, layer_, op_);
        }
        chosen_ =
            fused.made ? std::move(fused.made) : unfused_attention(layer_, op_, fused.refusal);
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
