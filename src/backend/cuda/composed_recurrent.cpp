// SPDX-License-Identifier: MIT
#include "backend/cuda/recurrent.h"
#include "backend/cuda/recurrent_cell.h"

namespace strata::cuda {

namespace {

class ComposedRecurrent : public StackedRecurrent<Lowering, CellLowering, LayerLowering> {
public:
    using StackedRecurrent::StackedRecurrent;

protected:
    void compute(Lowering& lowering, std::vector<Call> calls) const override {
        lowering.compute({"cublaslt+strata:" + kind_of(layer_.op),
                          text_of(lowering.dims(input(0)), {ElementType::f32, Order::rows})},
                         std::move(calls));
    }
};

}  // namespace

Made composed_recurrent(const Layer& layer, const Recurrent& op) {
    return std::make_unique<ComposedRecurrent>(layer, op);
}

}  // namespace strata::cuda
