// SPDX-License-Identifier: MIT
#include "backend/onednn/broadcast_loops.h"
#include "backend/onednn/layer_lowering.h"

#include <algorithm>

namespace strata::onednn {

namespace {

// A sum of equal shapes is the library's; its gradient is every operand's and is not copied. All
// else is done by loops over plain values.
class ElementwiseLowering : public LayerLowering {
public:
    ElementwiseLowering(const Layer& layer, const Elementwise& op)
        : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        is_sum_ = op_.kind == ElementwiseKind::add && all_shapes_equal(lowering);
        is_sum_ ? forward_sum(lowering) : forward_by_loops(lowering);
    }

    void backward_data(Lowering& lowering) override {
        is_sum_ ? backward_sum(lowering, Role::activation)
                : backward_by_loops(lowering, Role::activation);
    }

    void backward_weights(Lowering& lowering) override {
        is_sum_ ? backward_sum(lowering, Role::parameter)
                : backward_by_loops(lowering, Role::parameter);
    }

private:
    bool all_shapes_equal(Lowering& lowering) const {
        return std::ranges::all_of(layer_.inputs, [&](TensorId tensor) {
            return lowering.extents(tensor) == lowering.extents(output());
        });
    }

    // Operands whose gradient the pass computes: parameters or all the others.
    std::vector<std::size_t> receivers(Lowering& lowering, Role role) const {
        std::vector<std::size_t> operands;
        for (std::size_t i = 0; i < layer_.inputs.size(); ++i) {
            const bool trained = lowering.graph().tensors[input(i)].role == Role::parameter;
            if (trained == (role == Role::parameter) && lowering.needs_gradient(input(i))) {
                operands.push_back(i);
            }
        }
        return operands;
    }

    void forward_sum(Lowering& lowering) const {
        const Desc desc = lowering.shaped_value(input(0)).desc;
        std::vector<Place> terms;
        for (const TensorId tensor : layer_.inputs) {
            terms.push_back(lowering.value(tensor, desc));
        }
        auto described = lowering.sum_of(terms, lowering.make_value(output(), desc));
        lowering.compute(std::move(described.text), {std::move(described.call)},
                         described.workspace);
    }

    void backward_sum(Lowering& lowering, Role role) const {
        const Place dy = lowering.gradient(output());
        lowering.protect(dy);
        for (const std::size_t operand : receivers(lowering, role)) {
            lowering.share_gradient(input(operand), dy);
        }
        lowering.compute({"alias"}, {});
    }

    std::vector<Stretch> stretches(Lowering& lowering) const {
        std::vector<Stretch> all;
        for (const TensorId tensor : layer_.inputs) {
            all.push_back(stretch_of(lowering.extents(tensor), lowering.extents(output())));
        }
        return all;
    }

    std::vector<Place> sources(Lowering& lowering) const {
        std::vector<Place> places;
        for (const TensorId tensor : layer_.inputs) {
            places.push_back(lowering.plain_value(tensor, ElementType::f32));
        }
        return places;
    }

    static std::vector<const float*> operands_at(std::span<void* const> at, std::size_t count) {
        std::vector<const float*> operands;
        for (std::size_t i = 0; i < count; ++i) {
            operands.push_back(static_cast<const float*>(at[i]));
        }
        return operands;
    }

    void forward_by_loops(Lowering& lowering) const {
        std::vector<Place> places = sources(lowering);
        const Desc desc = plain(lowering.extents(output()), ElementType::f32);
        places.push_back(lowering.make_value(output(), desc));
        lowering.compute(
            {"strata:loops", text_of(desc)},
            {KernelCall{[kind = op_.kind, all = stretches(lowering)](std::span<void* const> at) {
                            elementwise(kind, operands_at(at, all.size()), all,
                                        static_cast<float*>(at[all.size()]));
                        },
                        std::move(places)}});
    }

    void backward_by_loops(Lowering& lowering, Role role) const {
        const Place dy = lowering.plain_gradient(output(), ElementType::f32);
        std::vector<Call> calls;
        for (const std::size_t which : receivers(lowering, role)) {
            std::vector<Place> places = sources(lowering);
            const Desc desc = plain(lowering.extents(input(which)), ElementType::f32);
            places.push_back(dy);
            places.push_back(lowering.make_gradient(input(which), desc));
            calls.push_back(KernelCall{[kind = op_.kind, all = stretches(lowering), which,
                                        count = elements_of(desc)](std::span<void* const> at) {
                                           elementwise_gradient(
                                               kind, operands_at(at, all.size()), all, which,
                                               static_cast<const float*>(at[all.size()]),
                                               static_cast<float*>(at[all.size() + 1]), count);
                                       },
                                       std::move(places)});
        }
        lowering.compute({"strata:loops", text_of(dy.desc)}, std::move(calls));
    }

    const Elementwise& op_;
    bool is_sum_ = false;
};

}  // namespace

Made lower(const Layer& layer, const Elementwise& op) {
    return std::make_unique<ElementwiseLowering>(layer, op);
}

}  // namespace strata::onednn
