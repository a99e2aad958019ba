// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/activation_loops.h"
#include "backend/cpu/onednn/choose.h"
#include "backend/cpu/onednn/compat_eltwise.h"
#include "backend/cpu/onednn/layer_lowering.h"

namespace strata::cpu {

namespace {

using dnnl::algorithm;

// The library's function; empty if it has none. The variants whose backward pass uses the output
// let a layer overwrite its input.
std::optional<algorithm> function_of(const Activation& op, bool from_output) {
    switch (op.kind) {
        case ActivationKind::relu:
            return algorithm::eltwise_relu_use_dst_for_bwd;
        case ActivationKind::leaky_relu:
            return from_output ? algorithm::eltwise_relu_use_dst_for_bwd : algorithm::eltwise_relu;
        case ActivationKind::clip:
            return algorithm::eltwise_clip_v2_use_dst_for_bwd;
        case ActivationKind::elu:
            return from_output ? algorithm::eltwise_elu_use_dst_for_bwd : algorithm::eltwise_elu;
        case ActivationKind::sigmoid:
            return algorithm::eltwise_logistic_use_dst_for_bwd;
        case ActivationKind::tanh:
            return algorithm::eltwise_tanh_use_dst_for_bwd;
        case ActivationKind::softplus:
            return algorithm::eltwise_soft_relu;
        case ActivationKind::gelu:
            return algorithm::eltwise_gelu_erf;
        case ActivationKind::gelu_tanh:
            return algorithm::eltwise_gelu_tanh;
        case ActivationKind::silu:
            return algorithm::eltwise_swish;
        case ActivationKind::hard_swish:
            return algorithm::eltwise_hardswish;
        case ActivationKind::mish:
            return algorithm::eltwise_mish;
        default:
            return std::nullopt;
    }
}

class ActivationLowering : public LayerLowering {
public:
    ActivationLowering(const Layer& layer, const Activation& op)
        : LayerLowering(layer), op_(op), from_output_(op.reads().output_for_data) {}

    void forward(Lowering& lowering) override {
        if (!function_of(op_, from_output_)) {
            return forward_by_loops(lowering);
        }
        const TensorView x = lowering.value(input(0));
        const TensorView y = make_output(lowering, x);
        lowering.compute<dnnl::eltwise_forward>(describe_forward(lowering, x.desc), text_of(x.desc),
                                                {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
        if (x.buffer == y.buffer) {
            lowering.forget_value(input(0));
        }
    }

    void backward_data(Lowering& lowering) override {
        if (!function_of(op_, from_output_)) {
            return backward_by_loops(lowering);
        }
        const TensorId kept = from_output_ ? output() : input(0);
        const Desc desc = backward_layout(lowering, kept);
        const TensorView data = lowering.value(kept, desc);
        const auto described =
            describe_eltwise_backward(lowering.context(), describe_forward(lowering, desc),
                                      *function_of(op_, from_output_), desc, desc, alpha(), beta());
        const TensorView dy = lowering.gradient(output(), described.diff_dst_desc());
        const TensorView dx = make_input_gradient(lowering, dy, described.diff_src_desc());
        // All three are zero in padded blocks.
        if (runs_plain_loops(described) && has_gradient_loops(op_.kind) && dy.desc == desc &&
            dx.desc == desc) {
            return gradient_by_loops(lowering, data, dy, dx);
        }
        lowering.compute<dnnl::eltwise_backward>(
            described, text_of(desc),
            {{from_output_ ? DNNL_ARG_DST : DNNL_ARG_SRC, data},
             {DNNL_ARG_DIFF_DST, dy},
             {DNNL_ARG_DIFF_SRC, dx}});
    }

private:
    // The parameter of the library's function: ReLU has slope 0, softplus and swish have scale 1.
    float alpha() const {
        switch (op_.kind) {
            case ActivationKind::relu:
                return 0;
            case ActivationKind::softplus:
            case ActivationKind::silu:
                return 1;
            case ActivationKind::hard_swish:
                return hard_swish_slope;
            default:
                return static_cast<float>(op_.alpha);
        }
    }
    float beta() const {
        return op_.kind == ActivationKind::hard_swish ? hard_swish_offset
                                                      : static_cast<float>(op_.beta);
    }

    dnnl::eltwise_forward::primitive_desc describe_forward(Lowering& lowering,
                                                           const Desc& x) const {
        return describe_eltwise(lowering.context(), lowering.forward_kind(),
                                *function_of(op_, from_output_), x, alpha(), beta());
    }

    // The gradient's layout, if the kept data also exist in it because of another reader: then
    // neither is copied. Otherwise that of the forward pass, which another layer's step may have
    // done.
    Desc backward_layout(Lowering& lowering, TensorId kept) const {
        const Desc gradient = lowering.gradient(output()).desc;
        return lowering.has_value(kept, gradient) ? gradient : lowering.value(kept).desc;
    }

    TensorView make_output(Lowering& lowering, const TensorView& x) const {
        if (runs_in_place(lowering.graph(), layer_, lowering.execution()) &&
            lowering.may_overwrite(x)) {
            lowering.share_value(output(), x);
            return x;
        }
        return lowering.make_value(output(), x.desc);
    }

    TensorView make_input_gradient(Lowering& lowering, const TensorView& dy,
                                   const Desc& desc) const {
        if (lowering.may_overwrite(dy)) {
            lowering.share_gradient(input(0), dy);
            return dy;
        }
        return lowering.make_gradient(input(0), desc);
    }

    void forward_by_loops(Lowering& lowering) const {
        const TensorView x = lowering.plain_value(input(0));
        const TensorView y = lowering.make_value(output(), x.desc);
        lowering.compute_by_loops(text_of(x.desc),
                                  loop_call(activate, {x, y}, op_, elements_of(x.desc)));
    }

    void backward_by_loops(Lowering& lowering) const {
        const TensorView x = lowering.plain_value(input(0));
        const TensorView dy = lowering.plain_gradient(output());
        gradient_by_loops(lowering, x, dy, lowering.make_gradient(input(0), dy.desc));
    }

    // Requires: the same layout.
    void gradient_by_loops(Lowering& lowering, const TensorView& x, const TensorView& dy,
                           const TensorView& dx) const {
        const auto gradient = [op = op_, count = stored_elements_of(x.desc),
                               narrow = type_of(x.desc) == ElementType::bf16](
                                  void* values, void* from, void* to) {
            activate_gradient(op, {values, narrow}, {from, narrow}, {to, narrow}, count);
        };
        lowering.compute_by_loops(text_of(x.desc), loop_call(gradient, {x, dy, dx}));
    }

    const Activation& op_;
    bool from_output_ = false;  // the backward pass reads the result, not the operand
};

}  // namespace

Made lower(const Layer& layer, const Activation& op) {
    return std::make_unique<ActivationLowering>(layer, op);
}

}  // namespace strata::cpu
