// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/onednn/layer_lowering.h"

#include <optional>

namespace strata::cpu {

namespace {

// In f32 whatever the network computes in: a mean of logarithms loses all precision in bf16.
class LossLowering : public LayerLowering {
public:
    using LayerLowering::LayerLowering;

    void forward(Lowering& lowering) override {
        const auto [images, classes] = shape(lowering);
        const TensorView x = lowering.plain_value(input(0));
        const TensorView labels = lowering.plain_value(input(1), ElementType::s32);
        const TensorView loss = lowering.make_value(output(), plain({1}, ElementType::f32));
        logarithms_ = lowering.make_floats(images);
        lowering.compute_by_loops(
            text_of(x.desc),
            loop_call(softmax_cross_entropy, {x, labels, loss, *logarithms_}, images, classes));
    }

    void backward_data(Lowering& lowering) override {
        const auto [images, classes] = shape(lowering);
        const TensorView x = lowering.plain_value(input(0));
        const TensorView labels = lowering.plain_value(input(1), ElementType::s32);
        const TensorView dx = lowering.make_gradient(input(0), x.desc);
        lowering.compute_by_loops(text_of(x.desc),
                                  loop_call(softmax_cross_entropy_gradient,
                                            {x, labels, *logarithms_, dx}, images, classes));
    }

private:
    std::pair<std::size_t, std::size_t> shape(Lowering& lowering) const {
        const auto dims = lowering.extents(input(0));
        return {static_cast<std::size_t>(dims[0]), static_cast<std::size_t>(dims[1])};
    }

    std::optional<TensorView> logarithms_;  // of each image's sum of exp, for the gradient
};

}  // namespace

Made lower(const Layer& layer, const SoftmaxCrossEntropy&) {
    return std::make_unique<LossLowering>(layer);
}

}  // namespace strata::cpu
