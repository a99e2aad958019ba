// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/reduction_loops.h"
#include "backend/cpu/onednn/layer_lowering.h"

#include <algorithm>

namespace strata::cpu {

namespace {

using Extents = dnnl::memory::dims;

Desc swapped(const Desc& desc) {
    const auto rank = dims_of(desc).size();
    std::vector<int> axes(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        axes[i] = static_cast<int>(i);
    }
    std::swap(axes[rank - 1], axes[rank - 2]);
    return desc.permute_axes(axes);
}

TensorView swapped_if(bool condition, const TensorView& view) {
    return condition ? TensorView{view.buffer, swapped(view.desc)} : view;
}

// A product of stacks of matrices. All are row-major, so that transposing an operand only changes
// strides and nothing is reordered between the passes.
class MatMulLowering : public LayerLowering {
public:
    MatMulLowering(const Layer& layer, const MatMul& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        choose_extents(lowering);
        const TensorView a = swapped_if(op_.transpose_a, operand(lowering, 0));
        const TensorView b = swapped_if(op_.transpose_b, operand(lowering, 1));
        const Desc whole = plain(lowering.extents(output()), lowering.element_type());
        const TensorView y = lowering.make_value(output(), whole);
        multiply(lowering, a, b, {y.buffer, plain(y_, type_of(whole))}, {});
    }

    void backward_data(Lowering& lowering) override { backward(lowering, false); }
    void backward_weights(Lowering& lowering) override { backward(lowering, true); }

private:
    // Equal ranks, as the library requires. A stack multiplied by one matrix is one tall matrix.
    void choose_extents(Lowering& lowering) {
        a_ = lowering.extents(input(0));
        b_ = lowering.extents(input(1));
        y_ = lowering.extents(output());
        if (b_.size() == 2 && a_.size() > 2 && !op_.transpose_a) {
            a_ = {product(a_) / a_.back(), a_.back()};
            y_ = {product(y_) / y_.back(), y_.back()};
        }
        const std::size_t rank = std::max(a_.size(), b_.size());
        a_.insert(a_.begin(), rank - a_.size(), 1);
        b_.insert(b_.begin(), rank - b_.size(), 1);
    }

    TensorView operand(Lowering& lowering, std::size_t which) const {
        const ElementType type = lowering.element_type();
        const TensorView view = lowering.plain_value(input(which), type);
        return {view.buffer, plain(which == 0 ? a_ : b_, type)};
    }

    void multiply(Lowering& lowering, const TensorView& a, const TensorView& b, const TensorView& y,
                  std::vector<Call> further) const {
        const auto described = describe<dnnl::matmul>(lowering.context(), a.desc, b.desc, y.desc);
        std::vector<Call> calls = {lowering.call<dnnl::matmul>(
            described, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, y}})};
        calls.insert(calls.end(), further.begin(), further.end());
        lowering.compute({described.impl_info_str(), text_of(a.desc, y.desc)}, std::move(calls),
                         scratchpad_of(described));
    }

    void backward(Lowering& lowering, bool of_parameters) const {
        for (std::size_t which = 0; which < 2; ++which) {
            const bool trained = lowering.graph().tensors[input(which)].role == Role::parameter;
            if (trained == of_parameters && lowering.needs_gradient(input(which))) {
                backward_to(lowering, which);
            }
        }
    }

    // For y = a b: da = dy b^T and db = a^T dy; transposed for a transposed operand.
    void backward_to(Lowering& lowering, std::size_t which) const {
        const ElementType type = lowering.element_type();
        const TensorView whole = lowering.plain_gradient(output(), type);
        const TensorView dy = {whole.buffer, plain(y_, type)};
        const TensorView a = swapped_if(op_.transpose_a, operand(lowering, 0));
        const TensorView b = swapped_if(op_.transpose_b, operand(lowering, 1));
        const bool transposed = which == 0 ? op_.transpose_a : op_.transpose_b;
        TensorView left = which == 0 ? dy : swapped_if(true, a);
        TensorView right = which == 0 ? swapped_if(true, b) : dy;
        if (transposed) {
            std::swap(left, right);
            left = swapped_if(true, left);
            right = swapped_if(true, right);
        }
        into_gradient(lowering, which, left, right);
    }

    // If the operand was broadcast over the stack, the gradients of its copies are summed.
    void into_gradient(Lowering& lowering, std::size_t which, const TensorView& left,
                       const TensorView& right) const {
        const Extents& extents = which == 0 ? a_ : b_;
        const bool trained = lowering.graph().tensors[input(which)].role == Role::parameter;
        const ElementType type = trained ? ElementType::f32 : lowering.element_type();
        Extents stacked = extents;
        std::copy_n(y_.begin(), y_.size() - 2, stacked.begin());
        const bool summed = stacked != extents;
        const Desc desc = plain(lowering.extents(input(which)), summed ? ElementType::f32 : type);
        const TensorView dx = lowering.make_gradient(input(which), desc);
        const TensorView target = {dx.buffer, plain(extents, type_of(desc))};
        if (!summed) {
            return multiply(lowering, left, right, target, {});
        }
        const TensorView copies = lowering.make_transient(plain(stacked, ElementType::f32));
        multiply(lowering, left, right, copies, {sum_of_copies(stacked, extents, copies, target)});
    }

    // Uses our loops: the library has no fast sum over outer axes.
    static Call sum_of_copies(const Extents& stacked, const Extents& extents,
                              const TensorView& copies, const TensorView& sum) {
        return loop_call(reduce, {copies, sum}, ReductionKind::sum,
                         ReductionPlan(stacked, extents));
    }

    const MatMul& op_;
    Extents a_, b_, y_;
};

}  // namespace

Made lower(const Layer& layer, const MatMul& op) {
    return std::make_unique<MatMulLowering>(layer, op);
}

}  // namespace strata::cpu
