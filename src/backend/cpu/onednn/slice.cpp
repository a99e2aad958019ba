// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/layer_lowering.h"
#include "backend/cpu/onednn/view_calls.h"

namespace strata::cpu {

namespace {

// The offsets of the slice's elements, selected from those of the whole input.
AxisOffsets taken(const Slice& op, AxisOffsets offsets) {
    for (std::size_t i = 0; i < op.axes.size(); ++i) {
        auto& along = offsets[axis_among(op.axes[i], offsets.size())];
        std::vector<std::int64_t> chosen;
        for (std::int64_t k = 0; k < op.extents[i]; ++k) {
            const std::int64_t step = op.steps.empty() ? 1 : op.steps[i];
            chosen.push_back(along[static_cast<std::size_t>(op.starts[i] + k * step)]);
        }
        along = std::move(chosen);
    }
    return offsets;
}

// Copies from the input's present layout; the gradient of elements outside the slice is zero.
class SliceLowering : public LayerLowering {
public:
    SliceLowering(const Layer& layer, const Slice& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        TensorView x = lowering.shaped_value(input(0));
        if (!is_blocked(x.desc)) {
            x = lowering.plain_value(input(0), lowering.element_type(input(0)));
        }
        x_ = x.desc;
        const Desc desc = alike(x.desc, lowering.extents(output()), type_of(x.desc));
        const TensorView y = lowering.make_value(output(), desc);
        const Movement move(taken(op_, offsets_of(x.desc)), offsets_of(y.desc), bytes_of(x));
        lowering.compute_by_loops(text_of(x.desc, y.desc),
                                  move_call(move, x, y, is_padded(desc) ? desc.get_size() : 0));
    }

    void backward_data(Lowering& lowering) override { backward(lowering); }
    void backward_weights(Lowering& lowering) override { backward(lowering); }

private:
    void backward(Lowering& lowering) const {
        TensorView dy = lowering.shaped_gradient(output());
        if (!is_blocked(dy.desc)) {
            dy = lowering.plain_gradient(output(), type_of(dy.desc));
        }
        const Desc desc = alike(*x_, lowering.extents(input(0)), type_of(dy.desc));
        const TensorView dx = lowering.make_gradient(input(0), desc);
        const Movement move(offsets_of(dy.desc), taken(op_, offsets_of(desc)), bytes_of(dy));
        lowering.compute_by_loops(text_of(dy.desc, desc), move_call(move, dy, dx, desc.get_size()));
    }

    static std::size_t bytes_of(const TensorView& view) {
        return dnnl::memory::data_type_size(type_of(view.desc));
    }

    const Slice& op_;
    std::optional<Desc> x_;
};

}  // namespace

Made lower(const Layer& layer, const Slice& op) {
    return std::make_unique<SliceLowering>(layer, op);
}

}  // namespace strata::cpu
