// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/copy.h"
#include "backend/cuda/layer_lowering.h"

namespace strata::cuda {

namespace {

Kernel dense_copy(const TensorView& from, const TensorView& to) {
    return strided_copy("strata:copy", {product(from.dims)}, {from.format.type, {1}},
                        {to.format.type, {1}});
}

// A real copy, because copying is the purpose of the layer.
class IdentityLowering : public LayerLowering {
public:
    using LayerLowering::LayerLowering;

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.shaped_value(input(0));
        const TensorView y = lowering.make_value(output(), x.format);
        lowering.compute(dense_copy(x, y), {x, y});
    }

    void backward_data(Lowering& lowering) override {
        const TensorView dy = lowering.shaped_gradient(output());
        const TensorView dx = lowering.make_gradient(input(0), dy.format);
        lowering.compute(dense_copy(dy, dx), {dy, dx});
    }
};

}  // namespace

Made lower(const Layer& layer, const Identity&) {
    return std::make_unique<IdentityLowering>(layer);
}

}  // namespace strata::cuda
