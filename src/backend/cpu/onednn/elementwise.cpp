// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/broadcast_loops.h"
#include "backend/cpu/onednn/layer_lowering.h"
#include "backend/cpu/onednn/library_binary.h"

#include <algorithm>

namespace strata::cpu {

namespace {

// Operands that are broadcast to the result, by loops over plain values.
class BroadcastLowering : public LayerLowering {
public:
    using LayerLowering::LayerLowering;

    void backward_data(Lowering& lowering) override { backward(lowering, Role::activation); }
    void backward_weights(Lowering& lowering) override { backward(lowering, Role::parameter); }

protected:
    virtual void backward(Lowering& lowering, Role role) const = 0;

    // Whether the pass computes this operand's gradient: it is of the parameters or of all others.
    bool receives_gradient(Lowering& lowering, std::size_t operand, Role role) const {
        const bool trained = lowering.graph().tensors[input(operand)].role == Role::parameter;
        return trained == (role == Role::parameter) && lowering.needs_gradient(input(operand));
    }

    BroadcastPlan plan(Lowering& lowering) const {
        std::vector<Dims> operands;
        for (const TensorId tensor : layer_.inputs) {
            operands.push_back(lowering.extents(tensor));
        }
        return {operands, lowering.extents(output())};
    }

    // Calls loop(operands, y).
    template <class Loop>
    void forward_by_loops(Lowering& lowering, const Loop& loop) const {
        std::vector<TensorView> views;
        for (const TensorId tensor : layer_.inputs) {
            views.push_back(lowering.plain_value(tensor));
        }
        views.push_back(lowering.make_plain_value(output()));
        const std::string layout = text_of(views.back().desc);
        lowering.compute_by_loops(
            layout, KernelCall{[loop, count = layer_.inputs.size()](std::span<void* const> at) {
                                   loop(operands_at(at.first(count)), floats(at[count]));
                               },
                               std::move(views)});
    }

    // Calls loop(operands, dy, dx, elements of dx).
    template <class Loop>
    Call gradient_call(Lowering& lowering, std::size_t which, std::vector<TensorView> views,
                       const TensorView& dy, const Loop& loop) const {
        const std::size_t count = views.size();
        views.push_back(dy);
        views.push_back(lowering.make_plain_gradient(input(which)));
        return KernelCall{
            [loop, count, elements = elements_of(views.back().desc)](std::span<void* const> at) {
                loop(operands_at(at.first(count)), floats(at[count]), floats(at[count + 1]),
                     elements);
            },
            std::move(views)};
    }

private:
    static float* floats(void* address) { return static_cast<float*>(address); }

    static std::vector<const float*> operands_at(std::span<void* const> at) {
        std::vector<const float*> operands;
        std::ranges::transform(at, std::back_inserter(operands), floats);
        return operands;
    }
};

// A sum of equal shapes adds operands in their present layout; its gradient is shared by every
// operand, without copies. Two operands of which one has the result's shape use the library's
// primitive, in that operand's layout. Everything else uses loops over plain values.
class ElementwiseLowering : public BroadcastLowering {
public:
    ElementwiseLowering(const Layer& layer, const Elementwise& op)
        : BroadcastLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        if (op_.kind == ElementwiseKind::add && all_shapes_equal(lowering)) {
            return forward_sum(lowering);
        }
        library_ = LibraryBinary::of(lowering, layer_, op_.kind);
        if (library_) {
            return library_->forward(lowering, layer_);
        }
        const bool whole = !is_floating(lowering.graph().tensors[output()].tensor.dtype);
        forward_by_loops(lowering, [kind = op_.kind, plan = plan(lowering), whole](
                                       BroadcastInputs inputs, float* y) {
            elementwise(kind, plan, inputs, y, whole);
        });
    }

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

    void forward_sum(Lowering& lowering) const {
        const Desc desc = lowering.shaped_value(input(0)).desc;
        std::vector<TensorView> terms;
        for (const TensorId tensor : layer_.inputs) {
            terms.push_back(lowering.value(tensor, desc));
        }
        lowering.compute(lowering.sum_of(terms, lowering.make_value(output(), desc)));
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
            views.push_back(unread ? dy : lowering.plain_value(input(i)));
        }
        return views;
    }

    // Whether the operand's gradient is the result's, unchanged.
    bool passes_gradient_on(Lowering& lowering, std::size_t operand) const {
        const bool adds = op_.kind == ElementwiseKind::add ||
                          (op_.kind == ElementwiseKind::subtract && operand == 0);
        return adds && has_result_shape(lowering, operand);
    }

    void backward(Lowering& lowering, Role role) const override {
        std::vector<Call> calls;
        for (std::size_t which = 0; which < layer_.inputs.size(); ++which) {
            if (!receives_gradient(lowering, which, role)) {
                continue;
            }
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
        const TensorView dy = lowering.plain_gradient(output());
        return gradient_call(
            lowering, which, sources_of_gradient(lowering, which, dy), dy,
            [kind = op_.kind, plan = plan(lowering), which](
                BroadcastInputs inputs, const float* slope, float* dx, std::size_t elements) {
                elementwise_gradient(kind, plan, inputs, which, slope, dx, elements);
            });
    }

    const Elementwise& op_;
    std::optional<LibraryBinary> library_;
};

class SelectLowering : public BroadcastLowering {
public:
    using BroadcastLowering::BroadcastLowering;

    void forward(Lowering& lowering) override {
        forward_by_loops(lowering, [plan = plan(lowering)](BroadcastInputs inputs, float* y) {
            select(plan, inputs, y);
        });
    }

private:
    // Only the condition is read; the gradient takes the place of the others.
    void backward(Lowering& lowering, Role role) const override {
        const TensorView dy = lowering.plain_gradient(output());
        std::vector<Call> calls;
        for (std::size_t which = 1; which < 3; ++which) {
            if (receives_gradient(lowering, which, role)) {
                const TensorView condition = lowering.plain_value(input(0));
                calls.push_back(gradient_call(
                    lowering, which, {condition, dy, dy}, dy,
                    [plan = plan(lowering), which](BroadcastInputs inputs, const float* slope,
                                                   float* dx, std::size_t elements) {
                        select_gradient(plan, inputs, which, slope, dx, elements);
                    }));
            }
        }
        lowering.compute({"strata:loops", text_of(dy.desc)}, std::move(calls));
    }
};

}  // namespace

Made lower(const Layer& layer, const Select&) {
    return std::make_unique<SelectLowering>(layer);
}

Made lower(const Layer& layer, const Elementwise& op) {
    return std::make_unique<ElementwiseLowering>(layer, op);
}

}  // namespace strata::cpu
