// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/choose.h"
#include "backend/cpu/onednn/layer_lowering.h"
#include "backend/cpu/onednn/view_calls.h"

#include <algorithm>
#include <span>

namespace strata::cpu {

namespace {

class ConcatLowering : public LayerLowering {
public:
    ConcatLowering(const Layer& layer, const Concat& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        std::vector<Desc> descs;
        Arguments arguments;
        std::vector<TensorView> sources;
        for (std::size_t i = 0; i < layer_.inputs.size(); ++i) {
            sources.push_back(source(lowering, i));
            descs.push_back(sources.back().desc);
            arguments.emplace_back(DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), sources.back());
        }
        const auto described =
            describe_concat(lowering.context(), static_cast<int>(axis(lowering)), descs);
        const TensorView y = lowering.make_value(output(), described.dst_desc());
        if (runs_plain_loops(described) && is_blocked(y.desc) &&
            std::ranges::all_of(descs, [](const Desc& desc) { return is_blocked(desc); })) {
            return lowering.compute({"strata:loops", text_of(descs.front(), y.desc)},
                                    copies(sources, y, axis(lowering)));
        }
        arguments.emplace_back(DNNL_ARG_DST, y);
        lowering.compute<dnnl::concat>(described, text_of(descs.front(), y.desc),
                                       std::move(arguments));
    }

    // Copies each input's part out of the whole gradient, if the input needs it.
    void backward_data(Lowering& lowering) override {
        TensorView dy = lowering.shaped_gradient(output());
        if (!can_be_cut(lowering, dy.desc)) {
            dy = lowering.plain_gradient(output(), type_of(dy.desc));
        }
        dnnl::memory::dims offsets(dims_of(dy.desc).size(), 0);
        std::vector<Call> calls;
        for (const TensorId tensor : layer_.inputs) {
            const auto dims = lowering.extents(tensor);
            if (lowering.needs_gradient(tensor)) {
                const TensorView part = {dy.buffer, dy.desc.submemory_desc(dims, offsets)};
                const Desc desc = lowering.shaped_value(tensor).desc;
                calls.push_back(lowering.reorder_call(part, lowering.make_gradient(tensor, desc)));
            }
            offsets[axis(lowering)] += dims[axis(lowering)];
        }
        lowering.compute({"reorder", text_of(dy.desc)}, std::move(calls));
    }

private:
    // Copies of each input to its part of the result.
    static std::vector<Call> copies(std::span<const TensorView> sources, const TensorView& y,
                                    std::size_t axis) {
        std::vector<Call> calls;
        const AxisOffsets whole = offsets_of(y.desc);
        std::ptrdiff_t begin = 0;
        for (const TensorView& x : sources) {
            AxisOffsets part = whole;
            const auto first = whole[axis].begin() + begin;
            const auto extent = static_cast<std::ptrdiff_t>(dims_of(x.desc)[axis]);
            part[axis].assign(first, first + extent);
            const Movement move(offsets_of(x.desc), part,
                                dnnl::memory::data_type_size(type_of(y.desc)));
            const bool clears = begin == 0 && is_padded(y.desc);
            calls.push_back(move_call(move, x, y, clears ? y.desc.get_size() : 0));
            begin += extent;
        }
        return calls;
    }

    std::size_t axis(Lowering& lowering) const {
        return axis_among(op_.axis, lowering.extents(output()).size());
    }

    // All operands have one type: the library's concat supports nothing else.
    TensorView source(Lowering& lowering, std::size_t operand) const {
        const TensorView x = lowering.shaped_value(input(operand));
        const ElementType type = lowering.element_type(output());
        return type_of(x.desc) == type ? x : lowering.plain_value(input(operand), type);
    }

    // Whether every part begins and ends at a whole block.
    bool can_be_cut(Lowering& lowering, const Desc& desc) const {
        dnnl::memory::dims offsets(dims_of(desc).size(), 0);
        for (const TensorId tensor : layer_.inputs) {
            const auto dims = lowering.extents(tensor);
            const auto part =
                described_if_possible([&] { return desc.submemory_desc(dims, offsets); });
            if (!part) {
                return false;
            }
            offsets[axis(lowering)] += dims[axis(lowering)];
        }
        return true;
    }

    const Concat& op_;
};

}  // namespace

Made lower(const Layer& layer, const Concat& op) {
    return std::make_unique<ConcatLowering>(layer, op);
}

}  // namespace strata::cpu
