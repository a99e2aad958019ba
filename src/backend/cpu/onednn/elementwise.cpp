// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/broadcast_loops.h"
#include "backend/cpu/onednn/layer_lowering.h"
#include "backend/cpu/onednn/library_binary.h"

#include <algorithm>

namespace strata::cpu {

namespace {

// A sum of equal shapes adds operands in their present layout; its gradient is shared by every
// operand, without copies. Two operands of which one has the result's shape use the library's
// primitive, in that operand's layout. Everything else uses loops over plain values.
class ElementwiseLowering : public LayerLowering {
public:
    ElementwiseLowering(const Layer& layer, const Elementwise& op)
        : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        if (op_.kind == ElementwiseKind::add && all_shapes_equal(lowering)) {
            return forward_sum(lowering);
        }
        library_ = LibraryBinary::of(lowering, layer_, op_.kind);
        if (library_) {
            return library_->forward(lowering, layer_);
        }
        forward_by_loops(lowering);
    }

    void backward_data(Lowering& lowering) override { backward(lowering, Role::activation); }
    void backward_weights(Lowering& lowering) override { backward(lowering, Role::parameter); }

private:
    bool has_result_shape(Lowering& lowering, std::size_t operand) const {
        return lowering.extents(input(operand)) == lowering.extents(output());
    }

    bool all_shapes_equal(Lowering& lowering) const {
        for (std::size_t i = 0; i < layer_.inputs.size(); ++i) {
            if (!has_result_shape(lowering, i)) {
                return false;
            }
        }
        return true;
    }

    bool is_whole_number(Lowering& lowering) const {
        return !is_floating(lowering.graph().tensors[output()].tensor.dtype);
    }

    // Operands whose gradient the pass computes: either the parameters or all others.
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
        std::vector<TensorView> terms;
        for (const TensorId tensor : layer_.inputs) {
            terms.push_back(lowering.value(tensor, desc));
        }
        lowering.compute(lowering.sum_of(terms, lowering.make_value(output(), desc)));
    }

    BroadcastPlan plan(Lowering& lowering) const {
        std::vector<Dims> operands;
        for (const TensorId tensor : layer_.inputs) {
            operands.push_back(lowering.extents(tensor));
        }
        return {operands, lowering.extents(output())};
    }

    std::vector<TensorView> sources(Lowering& lowering) const {
        std::vector<TensorView> views;
        for (const TensorId tensor : layer_.inputs) {
            views.push_back(lowering.plain_value(tensor, ElementType::f32));
        }
        return views;
    }

    // The values on which one operand's gradient depends: for a sum none, for a product the other
    // operands. The result's gradient takes the place of those not read.
    std::vector<TensorView> sources_of_gradient(Lowering& lowering, std::size_t which,
                                                const TensorView& dy) const {
        const bool is_sum =
            op_.kind == ElementwiseKind::add || op_.kind == ElementwiseKind::subtract;
        const bool is_product = op_.kind == ElementwiseKind::multiply;
        std::vector<TensorView> views;
        for (std::size_t i = 0; i < layer_.inputs.size(); ++i) {
            const bool unread = is_sum || (is_product && i == which);
            views.push_back(unread ? dy : lowering.plain_value(input(i), ElementType::f32));
        }
        return views;
    }

    static std::vector<const float*> operands_at(std::span<void* const> at, std::size_t count) {
        std::vector<const float*> operands;
        for (std::size_t i = 0; i < count; ++i) {
            operands.push_back(static_cast<const float*>(at[i]));
        }
        return operands;
    }

    void forward_by_loops(Lowering& lowering) const {
        std::vector<TensorView> views = sources(lowering);
        const Desc desc = plain(lowering.extents(output()), ElementType::f32);
        const std::size_t count = views.size();
        views.push_back(lowering.make_value(output(), desc));
        lowering.compute(
            {"strata:loops", text_of(desc)},
            {KernelCall{[kind = op_.kind, plan = plan(lowering), count,
                         whole = is_whole_number(lowering)](std::span<void* const> at) {
                            elementwise(kind, plan, operands_at(at, count),
                                        static_cast<float*>(at[count]), whole);
                        },
                        std::move(views)}});
    }

    // Whether the operand's gradient is the result's, unchanged.
    bool passes_gradient_on(Lowering& lowering, std::size_t operand) const {
        const bool adds = op_.kind == ElementwiseKind::add ||
                          (op_.kind == ElementwiseKind::subtract && operand == 0);
        return adds && has_result_shape(lowering, operand);
    }

    void backward(Lowering& lowering, Role role) const {
        std::vector<Call> calls;
        std::string layout;
        for (const std::size_t which : receivers(lowering, role)) {
            if (passes_gradient_on(lowering, which)) {
                const TensorView dy = lowering.gradient(output());
                lowering.protect(dy);
                lowering.share_gradient(input(which), dy);
                continue;
            }
            calls.push_back(scales_by_library(which) ? library_->scaled_gradient(lowering, layer_)
                                                     : gradient_by_loops(lowering, which));
        }
        if (calls.empty()) {
            return lowering.compute({"alias"}, {});
        }
        lowering.compute({"strata:loops", text_of(lowering.gradient(output()).desc)},
                         std::move(calls));
    }

    // In a product, the gradient of the operand with the result's shape is dy times the other
    // operand: the forward primitive on other memory.
    bool scales_by_library(std::size_t which) const {
        return library_ && op_.kind == ElementwiseKind::multiply && which == library_->whole();
    }

    Call gradient_by_loops(Lowering& lowering, std::size_t which) const {
        const TensorView dy = lowering.plain_gradient(output(), ElementType::f32);
        std::vector<TensorView> views = sources_of_gradient(lowering, which, dy);
        const Desc desc = plain(lowering.extents(input(which)), ElementType::f32);
        const std::size_t count = views.size();
        views.push_back(dy);
        views.push_back(lowering.make_gradient(input(which), desc));
        return KernelCall{[kind = op_.kind, plan = plan(lowering), which, count,
                           elements = elements_of(desc)](std::span<void* const> at) {
                              elementwise_gradient(kind, plan, operands_at(at, count), which,
                                                   static_cast<const float*>(at[count]),
                                                   static_cast<float*>(at[count + 1]), elements);
                          },
                          std::move(views)};
    }

    const Elementwise& op_;
    std::optional<LibraryBinary> library_;
};

}  // namespace

Made lower(const Layer& layer, const Elementwise& op) {
    return std::make_unique<ElementwiseLowering>(layer, op);
}

}  // namespace strata::cpu
