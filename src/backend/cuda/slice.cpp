// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/movement.h"
#include "backend/cuda/lowering.h"

namespace strata::cuda {

namespace {

class SliceLowering : public LayerLowering {
public:
    SliceLowering(const Layer& layer, const Slice& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.shaped_value(input(0));
        const TensorView y = lowering.make_value(output(), x.format);
        lowering.compute(strided_copy("strata:slice", y.dims, view_of(x), whole(y)), {x, y});
    }

    // Elements outside the slice have gradient zero.
    void backward_data(Lowering& lowering) override {
        const TensorView dy = lowering.shaped_gradient(output());
        const TensorView dx = lowering.make_gradient(input(0), dy.format);
        lowering.compute(
            {"strata:slice_backward", text_of(dx.dims, dx.format)},
            {Call{fill("strata:zero", product(dx.dims), dx.format.type, 0), {dx}},
             Call{strided_copy("strata:slice_backward", dy.dims, whole(dy), view_of(dx)),
                  {dy, dx}}});
    }

private:
    static StridedSide whole(const TensorView& view) {
        return {view.format.type, strides_of(view.dims, view.format.order)};
    }

    // The slice's elements within the unsliced tensor.
    StridedSide view_of(const TensorView& view) const {
        StridedSide side = whole(view);
        const auto rank = static_cast<std::int64_t>(view.dims.size());
        for (std::size_t i = 0; i < op_.axes.size(); ++i) {
            const auto axis =
                static_cast<std::size_t>(op_.axes[i] < 0 ? op_.axes[i] + rank : op_.axes[i]);
            side.begin += op_.starts[i] * side.strides[axis];
            side.strides[axis] *= op_.steps.empty() ? 1 : op_.steps[i];
        }
        return side;
    }

    const Slice& op_;
};

}  // namespace

Made lower(const Layer& layer, const Slice& op) {
    return std::make_unique<SliceLowering>(layer, op);
}

}  // namespace strata::cuda
