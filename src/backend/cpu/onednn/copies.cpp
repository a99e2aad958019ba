// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/layer_lowering.h"

#include <algorithm>

namespace strata::cpu {

namespace {

// A real copy, because copying is the purpose of the layer.
class IdentityLowering : public LayerLowering {
public:
    using LayerLowering::LayerLowering;

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.value(input(0));
        copy(lowering, x, lowering.make_value(output(), x.desc));
    }

    void backward_data(Lowering& lowering) override {
        const TensorView dy = lowering.gradient(output());
        copy(lowering, dy, lowering.make_gradient(input(0), dy.desc));
    }

private:
    static void copy(Lowering& lowering, const TensorView& from, const TensorView& to) {
        lowering.compute({"reorder", text_of(from.desc)}, {lowering.reorder_call(from, to)});
    }
};

// Reads the input with its axes permuted and copies it to a plain layout.
class TransposeLowering : public LayerLowering {
public:
    TransposeLowering(const Layer& layer, const Transpose& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.shaped_value(input(0));
        copy(lowering, x,
             lowering.make_value(output(), plain(lowering.extents(output()), type_of(x.desc))),
             where_axes_go());
    }

    void backward_data(Lowering& lowering) override {
        const TensorView dy = lowering.shaped_gradient(output());
        const auto axes = where_axes_come_from();
        copy(lowering, dy,
             lowering.make_gradient(input(0), plain(lowering.extents(input(0)), type_of(dy.desc))),
             axes);
    }

private:
    // For each axis of the source the library needs its position in the view.
    std::vector<int> where_axes_go() const {
        std::vector<int> positions(op_.permutation.size());
        for (std::size_t i = 0; i < positions.size(); ++i) {
            positions[static_cast<std::size_t>(op_.permutation[i])] = static_cast<int>(i);
        }
        return positions;
    }

    std::vector<int> where_axes_come_from() const {
        return {op_.permutation.begin(), op_.permutation.end()};
    }

    static void copy(Lowering& lowering, const TensorView& from, const TensorView& to,
                     const std::vector<int>& axes) {
        const TensorView view = {from.buffer, from.desc.permute_axes(axes)};
        lowering.compute({"reorder", text_of(view.desc, to.desc)},
                         {lowering.reorder_call(view, to)});
    }

    const Transpose& op_;
};

}  // namespace

Made lower(const Layer& layer, const Identity&) {
    return std::make_unique<IdentityLowering>(layer);
}

Made lower(const Layer& layer, const Transpose& op) {
    return std::make_unique<TransposeLowering>(layer, op);
}

}  // namespace strata::cpu
