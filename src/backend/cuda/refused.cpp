// SPDX-License-Identifier: MIT
#include "backend/cuda/layer_lowering.h"

namespace strata::cuda {

namespace {

class RefusedLowering : public LayerLowering {
public:
    using LayerLowering::LayerLowering;
    void forward(Lowering&) override { throw Refusal{"strata has no kernel for it on a GPU yet"}; }
};

Made refused(const Layer& layer) {
    return std::make_unique<RefusedLowering>(layer);
}

}  // namespace

// clang-format off
Made lower(const Layer& layer, const Recurrent&) { return refused(layer); }
// clang-format on

}  // namespace strata::cuda
