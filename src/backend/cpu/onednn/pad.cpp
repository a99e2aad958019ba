// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/layer_lowering.h"

#include <algorithm>
#include <cstring>

namespace strata::cpu {

namespace {

using Index = std::int64_t;
constexpr Index outside = -1;

// For each axis, the input position that each output position copies.
using Sources = std::vector<std::vector<Index>>;

Index source_along(const Pad& op, std::size_t axis, Index extent, Index at) {
    if (at >= 0 && at < extent) {
        return at;
    }
    switch (op.kind) {
        case PadKind::edge:
            return std::clamp<Index>(at, 0, extent - 1);
        case PadKind::reflect:
            return at < 0 ? -at : 2 * (extent - 1) - at;
        case PadKind::constant:
            break;
    }
    static_cast<void>(axis);
    return outside;
}

Sources sources_of(const Pad& op, const Dims& input, const Dims& output) {
    Sources sources(output.size());
    for (std::size_t axis = 0; axis < output.size(); ++axis) {
        for (Index i = 0; i < output[axis]; ++i) {
            sources[axis].push_back(source_along(op, axis, input[axis], i - op.begin[axis]));
        }
    }
    return sources;
}

// Calls `visit(output row, input row or outside)` for each run along the last axis of the output.
template <class Visit>
void for_each_row(const Sources& sources, const Dims& input, Visit&& visit) {
    const std::size_t last = sources.size() - 1;
    Index rows = 1;
    for (std::size_t axis = 0; axis < last; ++axis) {
        rows *= static_cast<Index>(sources[axis].size());
    }
    for (Index row = 0; row < rows; ++row) {
        Index rest = row, offset = 0, step = 1;
        bool inside = true;
        for (std::size_t axis = last; axis-- > 0;) {
            const auto extent = static_cast<Index>(sources[axis].size());
            const Index from = sources[axis][static_cast<std::size_t>(rest % extent)];
            inside = inside && from != outside;
            offset += from * step;
            step *= input[axis];
            rest /= extent;
        }
        visit(row, inside ? offset : outside);
    }
}

class PadLowering : public LayerLowering {
public:
    PadLowering(const Layer& layer, const Pad& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = lowering.plain_value(input(0), ElementType::f32);
        const TensorView y =
            lowering.make_value(output(), plain(lowering.extents(output()), ElementType::f32));
        lowering.compute(
            {"strata:loops", text_of(y.desc)},
            {KernelCall{[from = sources(lowering), dims = dims_of(x.desc),
                         value = static_cast<float>(op_.value)](std::span<void* const> at) {
                            pad(from, dims, static_cast<const float*>(at[0]), value,
                                static_cast<float*>(at[1]));
                        },
                        {x, y}}});
    }

    void backward_data(Lowering& lowering) override {
        const TensorView dy = lowering.plain_gradient(output(), ElementType::f32);
        const TensorView dx =
            lowering.make_gradient(input(0), plain(lowering.extents(input(0)), ElementType::f32));
        lowering.compute(
            {"strata:loops", text_of(dy.desc)},
            {KernelCall{
                [from = sources(lowering), dims = dims_of(dx.desc)](std::span<void* const> at) {
                    fold(from, dims, static_cast<const float*>(at[0]), static_cast<float*>(at[1]));
                },
                {dy, dx}}});
    }

private:
    Sources sources(Lowering& lowering) const {
        return sources_of(op_, lowering.extents(input(0)), lowering.extents(output()));
    }

    static void pad(const Sources& sources, const Dims& input, const float* x, float value,
                    float* y) {
        const auto& columns = sources.back();
        const auto length = static_cast<Index>(columns.size());
        for_each_row(sources, input, [&](Index row, Index from) {
            for (Index i = 0; i < length; ++i) {
                const Index column = columns[static_cast<std::size_t>(i)];
                const bool known = from != outside && column != outside;
                y[row * length + i] = known ? x[from * input.back() + column] : value;
            }
        });
    }

    // The gradient of each copied element goes back to its source.
    static void fold(const Sources& sources, const Dims& input, const float* dy, float* dx) {
        const auto& columns = sources.back();
        const auto length = static_cast<Index>(columns.size());
        std::fill_n(dx, product(input), 0.0F);
        for_each_row(sources, input, [&](Index row, Index to) {
            for (Index i = 0; i < length && to != outside; ++i) {
                const Index column = columns[static_cast<std::size_t>(i)];
                if (column != outside) {
                    dx[to * input.back() + column] += dy[row * length + i];
                }
            }
        });
    }

    const Pad& op_;
};

}  // namespace

Made lower(const Layer& layer, const Pad& op) {
    return std::make_unique<PadLowering>(layer, op);
}

}  // namespace strata::cpu
