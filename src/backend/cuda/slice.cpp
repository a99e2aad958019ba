// SPDX-License-Identifier: MIT
#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/kernels/movement.h"
#include "backend/cuda/lowering.h"
#include "backend/lower/axis.h"

namespace strata::cuda {

namespace {

class SliceLowering : public LayerLowering {
public:
    SliceLowering(const Layer& layer, const Slice& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.shaped_value(input(0));
        const TensorView y = lowering.make_value(output(), x.format);
        lowering.compute(strided_copy("strata:slice", y.dims, view_of(x), side_of(y)), {x, y});
    }

    // Elements outside the slice have gradient zero.
    void backward_data(Lowering& lowering) override {
        const TensorView dy = lowering.shaped_gradient(output());
        const TensorView dx = lowering.make_gradient(input(0), dy.format);
        lowering.compute(
            {"strata:slice_backward", text_of(dx.dims, dx.format)},
            {Call{fill("strata:zero", product(dx.dims), dx.format.type, 0), {dx}},
             Call{strided_copy("strata:slice_backward", dy.dims, side_of(dy), view_of(dx)),
                  {dy, dx}}});
    }

private:
    // The slice's elements within the unsliced tensor.
    StridedSide view_of(const TensorView& view) const {
        StridedSide side = side_of(view);
        for (std::size_t i = 0; i < op_.axes.size(); ++i) {
            const std::size_t axis = axis_among(op_.axes[i], view.dims.size());
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
