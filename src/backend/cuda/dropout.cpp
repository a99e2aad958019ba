// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/elementwise.h"

#include "backend/cuda/lowering.h"

namespace strata::cuda {

namespace {

// The mask is a function of an element's row-major index, so the input is read row-major.
class DropoutLowering : public LayerLowering {
public:
    DropoutLowering(const Layer& layer, const Dropout& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        if (!lowering.trains()) {
            lowering.share_value(output(), lowering.value(input(0)));
            return lowering.compute(StepText{"alias"}, {});
        }
        const TensorView x = lowering.row_value(input(0));
        scale(lowering, x, lowering.make_value(output(), x.format));
    }

    void backward_data(Lowering& lowering) override {
        const TensorView dy = lowering.row_gradient(output());
        if (!lowering.may_overwrite(dy)) {
            return scale(lowering, dy, lowering.make_gradient(input(0), dy.format));
        }
        lowering.share_gradient(input(0), dy);
        scale(lowering, dy, dy);
    }

private:
    void scale(Lowering& lowering, const TensorView& from, const TensorView& to) const {
        lowering.compute(dropout(static_cast<std::uint64_t>(op_.seed), op_.probability,
                                 product(from.dims), {from.format.type, to.format.type}),
                         {from, to});
    }

    const Dropout& op_;
};

}  // namespace

Made lower(const Layer& layer, const Dropout& op) {
    return std::make_unique<DropoutLowering>(layer, op);
}

}  // namespace strata::cuda
