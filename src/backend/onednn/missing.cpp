// SPDX-License-Identifier: MIT
#include "backend/onednn/layer_lowering.h"

namespace strata::onednn {

namespace {

// An operator whose lowering is still to come: its layers are skipped, the others run.
class MissingLowering : public LayerLowering {
public:
    using LayerLowering::LayerLowering;
    void forward(Lowering&) override { throw Refusal{"the engine cannot execute it"}; }
};

Made missing(const Layer& layer) {
    return std::make_unique<MissingLowering>(layer);
}

}  // namespace

Made lower(const Layer& layer, const Recurrent&) {
    return missing(layer);
}
Made lower(const Layer& layer, const Embedding&) {
    return missing(layer);
}
Made lower(const Layer& layer, const Resize&) {
    return missing(layer);
}
Made lower(const Layer& layer, const TransposedConvolution&) {
    return missing(layer);
}

}  // namespace strata::onednn
