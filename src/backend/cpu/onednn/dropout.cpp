// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/onednn/layer_lowering.h"

#include <numeric>

namespace strata::cpu {

namespace {

// Floats represent every integer up to here. The table of indices has floats because the library
// can reorder those into any layout.
constexpr std::size_t largest_exact_float = 1 << 24;

class DropoutLowering : public LayerLowering {
public:
    DropoutLowering(const Layer& layer, const Dropout& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        if (!lowering.trains()) {
            lowering.share_value(output(), lowering.value(input(0)));
            return lowering.compute({"alias"}, {});
        }
        const TensorView x = source(lowering, input(0));
        x_ = x.desc;
        mask_ = lowering.make_transient(plain({stored(x)}, ElementType::u8));
        const TensorView y = lowering.make_value(output(), x.desc);
        std::vector<TensorView> views = {x, y, *mask_};
        if (!is_plain(x.desc)) {
            views.push_back(index_table(lowering, x.desc));
        }
        const DropoutDraw draw = {static_cast<std::uint64_t>(op_.seed), op_.probability};
        lowering.compute_by_loops(
            text_of(x.desc), KernelCall{forward_kernel(draw, stored_elements_of(x.desc)), views});
    }

    void backward_data(Lowering& lowering) override {
        const TensorView dy = lowering.gradient(output(), *x_);
        const bool in_place = lowering.may_overwrite(dy);
        const TensorView dx = in_place ? dy : lowering.make_gradient(input(0), *x_);
        if (in_place) {
            lowering.share_gradient(input(0), dy);
        }
        lowering.compute_by_loops(
            text_of(*x_), loop_call(dropout_gradient, {dy, *mask_, dx}, stored_elements_of(*x_),
                                    op_.probability));
    }

private:
    // The operand in its present layout, so that nothing is reordered, unless floats cannot
    // represent its indices.
    static TensorView source(Lowering& lowering, TensorId tensor) {
        const TensorView x = lowering.value(tensor);
        const bool countable = is_plain(x.desc) || elements_of(x.desc) <= largest_exact_float;
        return countable && type_of(x.desc) == ElementType::f32 ? x : lowering.plain_value(tensor);
    }

    static dnnl::memory::dim stored(const TensorView& view) {
        return static_cast<dnnl::memory::dim>(stored_elements_of(view.desc));
    }

    static Kernel forward_kernel(DropoutDraw draw, std::size_t count) {
        return [draw, count](std::span<void* const> at) {
            DropoutDraw with_table = draw;
            with_table.index = at.size() > 3 ? static_cast<const float*>(at[3]) : nullptr;
            dropout(static_cast<const float*>(at[0]), static_cast<float*>(at[1]),
                    static_cast<std::uint8_t*>(at[2]), count, with_table);
        };
    }

    // The logical index of each element in memory: 0, 1, 2 ... reordered into the layout. Padding
    // is 0 and stays 0 whatever it is multiplied by.
    static TensorView index_table(Lowering& lowering, const Desc& like) {
        const std::size_t count = elements_of(like);
        return lowering.make_persistent(like, [count] {
            HostValues values(count);
            std::iota(values.begin(), values.end(), 0.0F);
            return values;
        });
    }

    const Dropout& op_;
    std::optional<Desc> x_;
    std::optional<TensorView> mask_;
};

}  // namespace

Made lower(const Layer& layer, const Dropout& op) {
    return std::make_unique<DropoutLowering>(layer, op);
}

}  // namespace strata::cpu
