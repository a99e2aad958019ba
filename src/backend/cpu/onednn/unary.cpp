// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/unary_loops.h"
#include "backend/cpu/onednn/layer_lowering.h"

namespace strata::cpu {

namespace {

using dnnl::algorithm;

// The library's function, which is vectorised and supports bf16; empty if it has none.
struct Function {
    algorithm name;
    float alpha = 0;
    float beta = 0;
};

std::optional<Function> function_of(UnaryKind kind) {
    switch (kind) {
        case UnaryKind::exponential:
            return Function{algorithm::eltwise_exp_use_dst_for_bwd};
        case UnaryKind::square_root:
            return Function{algorithm::eltwise_sqrt_use_dst_for_bwd};
        case UnaryKind::logarithm:
            return Function{algorithm::eltwise_log};
        case UnaryKind::absolute:
            return Function{algorithm::eltwise_abs};
        case UnaryKind::negate:
            return Function{algorithm::eltwise_linear, -1, 0};
        default:
            return std::nullopt;
    }
}

// Whether f(0) = 0: then a layout padded with zeros may be kept.
bool keeps_zero(UnaryKind kind) {
    switch (kind) {
        case UnaryKind::exponential:
        case UnaryKind::logarithm:
        case UnaryKind::reciprocal:
        case UnaryKind::cosine:
        case UnaryKind::arc_cosine:
        case UnaryKind::hyperbolic_cosine:
        case UnaryKind::inverse_hyperbolic_cosine:
        case UnaryKind::logical_not:
            return false;
        default:
            return true;
    }
}

// The values keep their layout. The backward pass reads what Unary::reads specifies, so that the
// result may overwrite the input.
class UnaryLowering : public LayerLowering {
public:
    UnaryLowering(const Layer& layer, const Unary& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = source(lowering);
        const TensorView y = make_output(lowering, x);
        if (const auto function = library_function(lowering)) {
            forward_ = describe_eltwise(lowering.context(), lowering.forward_kind(), function->name,
                                        x.desc, function->alpha, function->beta);
            lowering.compute<dnnl::eltwise_forward>(*forward_, text_of(x.desc),
                                                    {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
        } else {
            lowering.compute_by_loops(
                text_of(x.desc), loop_call(unary, {x, y}, op_.kind, stored_elements_of(x.desc)));
        }
        if (x.buffer == y.buffer) {
            lowering.forget_value(input(0));
        }
    }

    void backward_data(Lowering& lowering) override { backward(lowering); }
    void backward_weights(Lowering& lowering) override { backward(lowering); }

private:
    bool is_step(Lowering& lowering) const {
        return !is_floating(lowering.graph().tensors[output()].tensor.dtype);
    }

    std::optional<Function> library_function(Lowering& lowering) const {
        return is_step(lowering) ? std::nullopt : function_of(op_.kind);
    }

    TensorView source(Lowering& lowering) const {
        const TensorView x = lowering.shaped_value(input(0));
        const bool loops = !library_function(lowering);
        const ElementType type = loops ? ElementType::f32 : type_of(x.desc);
        const bool as_it_lies = is_blocked(x.desc) && (keeps_zero(op_.kind) || !is_padded(x.desc));
        return as_it_lies && type_of(x.desc) == type ? x : lowering.plain_value(input(0), type);
    }

    TensorView make_output(Lowering& lowering, const TensorView& x) const {
        if (runs_in_place(lowering.graph(), layer_, lowering.execution()) &&
            lowering.may_overwrite(x)) {
            lowering.share_value(output(), x);
            return x;
        }
        return lowering.make_value(output(), x.desc);
    }

    // The values on which the derivative depends; the gradient itself if it is constant.
    TensorView known(Lowering& lowering, const Desc& desc, const TensorView& dy) const {
        const BackwardReads reads = op_.reads();
        return reads.output_for_data  ? lowering.value(output(), desc)
               : reads.input_for_data ? lowering.value(input(0), desc)
                                      : dy;
    }

    void backward(Lowering& lowering) const {
        forward_ ? backward_by_library(lowering) : backward_by_loops(lowering);
    }

    void backward_by_library(Lowering& lowering) const {
        const Desc desc = forward_->src_desc();
        const Function function = *function_of(op_.kind);
        const auto described =
            describe_eltwise_backward(lowering.context(), *forward_, function.name, desc, desc,
                                      function.alpha, function.beta);
        const TensorView dy = lowering.gradient(output(), desc);
        const TensorView dx = lowering.make_gradient(input(0), desc);
        lowering.compute<dnnl::eltwise_backward>(
            described, text_of(desc),
            {{op_.reads().output_for_data ? DNNL_ARG_DST : DNNL_ARG_SRC, known(lowering, desc, dy)},
             {DNNL_ARG_DIFF_DST, dy},
             {DNNL_ARG_DIFF_SRC, dx}});
    }

    void backward_by_loops(Lowering& lowering) const {
        const TensorView dy = lowering.plain_gradient(output());
        const TensorView from = known(lowering, dy.desc, dy);
        const TensorView dx = lowering.make_gradient(input(0), dy.desc);
        lowering.compute_by_loops(text_of(dy.desc), loop_call(unary_gradient, {from, dy, dx},
                                                              op_.kind, elements_of(dy.desc)));
    }

    const Unary& op_;
    std::optional<dnnl::eltwise_forward::primitive_desc> forward_;
};

}  // namespace

Made lower(const Layer& layer, const Unary& op) {
    return std::make_unique<UnaryLowering>(layer, op);
}

}  // namespace strata::cpu
