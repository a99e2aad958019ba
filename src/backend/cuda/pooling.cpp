// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/pooling.h"

#include "backend/cuda/lowering.h"
#include "op/window.h"

namespace strata::cuda {

namespace {

// The places of maxima are stored as floats, which represent every integer up to here.
constexpr std::int64_t largest_plane = std::int64_t{1} << 24;

class PoolingLowering : public LayerLowering {
public:
    PoolingLowering(const Layer& layer, const Pooling& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.shaped_value(input(0));
        shape_ = shape_of(lowering, x);
        const TensorView y = lowering.make_value(output(), x.format);
        std::vector<TensorView> views = {x, y};
        if (op_.kind == PoolingKind::max) {
            maxima_ = lowering.make_transient(y.dims, {ElementType::f32, x.format.order});
            views.push_back(*maxima_);
        }
        lowering.compute(pooling_forward(shape_, {x.format.type, y.format.type}), std::move(views));
    }

    void backward_data(Lowering& lowering) override {
        const TensorView dy =
            lowering.gradient(output(), {lowering.element_type(output()), shape_.order});
        const TensorView dx = lowering.make_gradient(input(0), dy.format);
        lowering.compute(pooling_backward(shape_, {dy.format.type, dx.format.type}),
                         {dy, maxima_.value_or(dy), dx});
    }

private:
    PoolingShape shape_of(const Lowering& lowering, const TensorView& x) const {
        if (!fits_spatial_window(x.dims)) {
            throw Refusal{"windows have at most three axes here"};
        }
        const Tensor& image = lowering.graph().tensors[input(0)].tensor;
        PoolingShape shape = {
            .kind = op_.kind,
            .count_include_pad = op_.count_include_pad,
            .images = x.dims[0],
            .channels = x.dims[1],
            .order = x.format.order,
            .window = spatial_window(window_of(op_, image), x.dims, lowering.dims(output()))};
        if (shape.window.input_positions() >= largest_plane) {
            throw Refusal{"a plane has more positions than 2^24"};
        }
        return shape;
    }

    const Pooling& op_;
    PoolingShape shape_;
    std::optional<TensorView> maxima_;
};

}  // namespace

Made lower(const Layer& layer, const Pooling& op) {
    return std::make_unique<PoolingLowering>(layer, op);
}

}  // namespace strata::cuda
