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
Made lower(const Layer& layer, const Convolution&) { return refused(layer); }
Made lower(const Layer& layer, const TransposedConvolution&) { return refused(layer); }
Made lower(const Layer& layer, const FullyConnected&) { return refused(layer); }
Made lower(const Layer& layer, const MatMul&) { return refused(layer); }
Made lower(const Layer& layer, const Attention&) { return refused(layer); }
Made lower(const Layer& layer, const Recurrent&) { return refused(layer); }
Made lower(const Layer& layer, const Embedding&) { return refused(layer); }
Made lower(const Layer& layer, const Pooling&) { return refused(layer); }
Made lower(const Layer& layer, const Resize&) { return refused(layer); }
Made lower(const Layer& layer, const Lrn&) { return refused(layer); }
Made lower(const Layer& layer, const BatchNormalization&) { return refused(layer); }
Made lower(const Layer& layer, const LayerNormalization&) { return refused(layer); }
Made lower(const Layer& layer, const GroupNormalization&) { return refused(layer); }
Made lower(const Layer& layer, const Softmax&) { return refused(layer); }
Made lower(const Layer& layer, const Dropout&) { return refused(layer); }
Made lower(const Layer& layer, const Elementwise&) { return refused(layer); }
Made lower(const Layer& layer, const Unary&) { return refused(layer); }
Made lower(const Layer& layer, const Select&) { return refused(layer); }
Made lower(const Layer& layer, const Reduction&) { return refused(layer); }
Made lower(const Layer& layer, const TopK&) { return refused(layer); }
Made lower(const Layer& layer, const Concat&) { return refused(layer); }
Made lower(const Layer& layer, const Slice&) { return refused(layer); }
Made lower(const Layer& layer, const Gather&) { return refused(layer); }
Made lower(const Layer& layer, const Expand&) { return refused(layer); }
Made lower(const Layer& layer, const Transpose&) { return refused(layer); }
Made lower(const Layer& layer, const Pad&) { return refused(layer); }
Made lower(const Layer& layer, const Cast&) { return refused(layer); }
Made lower(const Layer& layer, const SoftmaxCrossEntropy&) { return refused(layer); }
void lower_update(Lowering&, LayerId) { throw Refusal{"strata has no kernel for it on a GPU yet"}; }
// clang-format on

}  // namespace strata::cuda
