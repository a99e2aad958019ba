// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/movement.h"

#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/lowering.h"
#include "backend/lower/axis.h"

namespace strata::cuda {

namespace {

// Rows of a table by index: operand `table` is read along an axis at the positions in operand
// `indices`.
class GatherLowering : public LayerLowering {
public:
    GatherLowering(const Layer& layer, std::size_t table, std::size_t indices, std::int64_t axis)
        : LayerLowering(layer), table_(table), indices_(indices), axis_(axis) {}

    void forward(Lowering& lowering) override {
        const TensorView data = lowering.row_value(input(table_));
        const TensorView indices = lowering.row_value(input(indices_));
        const TensorView y = lowering.make_value(output(), {data.format.type, Order::rows});
        lowering.compute(
            gather(shape_of(lowering), {data.format.type, indices.format.type, y.format.type}),
            {data, indices, y});
    }

    void backward_data(Lowering& lowering) override { backward(lowering, Role::activation); }
    void backward_weights(Lowering& lowering) override { backward(lowering, Role::parameter); }

private:
    GatherShape shape_of(const Lowering& lowering) const {
        const AxisExtents around = extents_around(axis_, lowering.dims(input(table_)));
        return {around.outer, around.extent, around.inner, product(lowering.dims(input(indices_)))};
    }

    void backward(Lowering& lowering, Role role) const {
        if (!receives_gradient(lowering, layer_, table_, role)) {
            return lowering.compute(StepText{"alias"}, {});
        }
        const TensorView dy = lowering.row_gradient(output());
        const TensorView indices = lowering.row_value(input(indices_));
        const TensorView dx = lowering.make_gradient(
            input(table_), gradient_format(lowering, input(table_), Order::rows));
        lowering.compute(
            {"strata:scatter_add", text_of(dx.dims, dx.format), "atomic"},
            scattered_gradient(lowering, dx, [&](const TensorView& sum) {
                return Call{scatter_add(shape_of(lowering), {dy.format.type, indices.format.type}),
                            {dy, indices, sum}};
            }));
    }

    std::size_t table_;
    std::size_t indices_;
    std::int64_t axis_;
};

}  // namespace

Made lower(const Layer& layer, const Gather& op) {
    return std::make_unique<GatherLowering>(layer, 0, 1, op.axis);
}

Made lower(const Layer& layer, const Embedding&) {
    return std::make_unique<GatherLowering>(layer, 1, 0, 0);
}

}  // namespace strata::cuda
