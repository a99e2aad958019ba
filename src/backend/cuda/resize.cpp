// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/movement.h"

#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/lowering.h"

namespace strata::cuda {

namespace {

constexpr std::size_t max_spatial_axes = 3;

class ResizeLowering : public LayerLowering {
public:
    ResizeLowering(const Layer& layer, const Resize& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.shaped_value(input(0));
        const auto axes = interpolation_axes(op_, lowering.graph().tensors[input(0)].tensor);
        if (axes.size() > max_spatial_axes) {
            throw Refusal{"images have at most three spatial axes here"};
        }
        shape_ = resize_shape(x.dims, x.format.order, axes);
        const HostValues table = resize_table(axes);
        table_ = lowering.make_persistent({std::ssize(table)}, {ElementType::f32},
                                          [table] { return table; });
        const TensorView y = lowering.make_value(output(), x.format);
        lowering.compute(resize_forward(shape_, {x.format.type, y.format.type}), {x, *table_, y});
    }

    void backward_data(Lowering& lowering) override {
        const TensorView dy =
            lowering.gradient(output(), {lowering.element_type(output()), shape_.order});
        const TensorView dx = lowering.make_gradient(input(0), dy.format);
        lowering.compute(
            {"strata:resize_backward", text_of(dx.dims, dx.format), "atomic"},
            scattered_gradient(lowering, dx, [&](const TensorView& sum) {
                return Call{resize_scatter(shape_, dy.format.type), {dy, *table_, sum}};
            }));
    }

private:
    const Resize& op_;
    ResizeShape shape_;
    std::optional<TensorView> table_;
};

}  // namespace

Made lower(const Layer& layer, const Resize& op) {
    return std::make_unique<ResizeLowering>(layer, op);
}

}  // namespace strata::cuda
