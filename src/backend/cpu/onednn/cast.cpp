// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/layer_lowering.h"
#include "backend/semantics.h"

namespace strata::cpu {

namespace {

void cast(const float* x, float* y, std::size_t count, DataType dtype) {
#pragma omp parallel for if (count > 1U << 12)
    for (std::size_t i = 0; i < count; ++i) {
        y[i] = cast_value(x[i], dtype);
    }
}

// Every type is held as a float, integers exactly up to 2^24, so a cast changes values or does
// nothing. Zero stays zero, so a layout's padding stays valid.
class CastLowering : public LayerLowering {
public:
    CastLowering(const Layer& layer, const Cast& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        if (op_.dtype == DataType::f32 || op_.dtype == DataType::f64) {
            return copy(lowering);
        }
        const TensorView x = source(lowering);
        const TensorView y = lowering.make_value(output(), x.desc);
        lowering.compute_by_loops(text_of(x.desc),
                                  loop_call(cast, {x, y}, stored_elements_of(x.desc), op_.dtype));
    }

    void backward_data(Lowering& lowering) override { backward(lowering); }
    void backward_weights(Lowering& lowering) override { backward(lowering); }

private:
    // The values are unchanged.
    void copy(Lowering& lowering) const {
        const TensorView x = lowering.value(input(0));
        const TensorView y = lowering.make_value(output(), x.desc);
        lowering.compute({"reorder", text_of(x.desc)}, {lowering.reorder_call(x, y)});
    }

    TensorView source(Lowering& lowering) const {
        const TensorView x = lowering.shaped_value(input(0));
        return type_of(x.desc) == ElementType::f32 ? x : lowering.plain_value(input(0));
    }

    void backward(Lowering& lowering) const {
        const TensorView dy = lowering.gradient(output());
        const TensorView dx = lowering.make_gradient(input(0), dy.desc);
        lowering.compute({"reorder", text_of(dy.desc)}, {lowering.reorder_call(dy, dx)});
    }

    const Cast& op_;
};

}  // namespace

Made lower(const Layer& layer, const Cast& op) {
    return std::make_unique<CastLowering>(layer, op);
}

}  // namespace strata::cpu
