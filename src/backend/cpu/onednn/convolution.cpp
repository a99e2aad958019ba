// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/channel_layout.h"
#include "backend/cpu/onednn/choose.h"
#include "backend/cpu/onednn/convolution_choice.h"
#include "backend/cpu/onednn/fused_forward.h"
#include "backend/cpu/onednn/layer_lowering.h"
#include "backend/cpu/onednn/own_convolution.h"
#include "op/window.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <type_traits>

namespace strata::cpu {

namespace {

using Forward = dnnl::convolution_forward;
using BackwardData = dnnl::convolution_backward_data;
using BackwardWeights = dnnl::convolution_backward_weights;
using dnnl::algorithm;

// The chosen way: a description of the library or a pass prepared by one of our own methods.
template <class Described>
struct TakenWay {
    std::optional<Described> library = {};
    std::shared_ptr<const PreparedConvolution> own = {};
    std::string algorithm = {};
    StepChoice choice = {};

    StepText text() const { return {.algorithm = algorithm, .choice = choice}; }
};

class ConvolutionLowering : public LayerLowering {
public:
    ConvolutionLowering(const Layer& layer, const Convolution& op)
        : LayerLowering(layer), op_(op), own_{layer, op} {}

    void forward(Lowering& lowering) override {
        prepare(lowering);
        LibraryWay used;
        auto way = first_way(lowering, Pass::forward, [&](const LibraryWay& library) {
            used = library;
            return forward_as(lowering, library.kind, suited(lowering, library));
        });
        if (way.own) {
            return forward_by_own(lowering, std::move(way));
        }
        forward_ = way.library;
        place_master(lowering);
        const FusedResult fused = lower_fused(lowering, used, way.text());
        if (fused.fused == Fused::done) {
            return;
        }
        const TensorView x = lowering.value(input(0), forward_->src_desc());
        const TensorView weight = lowering.value(input(1), forward_->weights_desc());
        Arguments arguments = {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, weight}};
        if (fuses_bias_) {
            arguments.emplace_back(DNNL_ARG_BIAS, lowering.value(input(2), bias_));
        }
        const TensorView y = lowering.make_value(output(), forward_->dst_desc());
        arguments.emplace_back(DNNL_ARG_DST, y);
        std::vector<Call> calls = {lowering.call<Forward>(*forward_, std::move(arguments))};
        if (op_.bias && !fuses_bias_) {
            calls.push_back(add_bias_call(y, lowering.value(input(2), bias_)));
        }
        way.algorithm = with_reason(std::move(way.algorithm), fused.apart);
        compute(lowering, way, text_of(x.desc, y.desc), std::move(calls));
    }

    void backward_data(Lowering& lowering) override {
        const auto way = first_way(lowering, Pass::backward_data, [&](const LibraryWay& library) {
            return describe_data(lowering, library);
        });
        if (way.own) {
            return own_.compute(lowering, Pass::backward_data, way.own, way.text());
        }
        const auto& described = *way.library;
        const TensorView dy = lowering.gradient(output(), described.diff_dst_desc());
        const TensorView weight = lowering.value(input(1), described.weights_desc());
        const TensorView dx = lowering.make_gradient(input(0), described.diff_src_desc());
        compute(lowering, way, text_of(dy.desc, dx.desc),
                {lowering.call<BackwardData>(described, {{DNNL_ARG_DIFF_DST, dy},
                                                         {DNNL_ARG_WEIGHTS, weight},
                                                         {DNNL_ARG_DIFF_SRC, dx}})});
    }

    void backward_weights(Lowering& lowering) override {
        const auto way =
            first_way(lowering, Pass::backward_weights, [&](const LibraryWay& library) {
                return describe_weights(lowering, lowering.value(input(1)).desc, library);
            });
        if (way.own) {
            return own_.compute(lowering, Pass::backward_weights, way.own, way.text());
        }
        const auto& described = *way.library;
        const TensorView x = lowering.value(input(0), described.src_desc());
        const TensorView dy = lowering.gradient(output(), described.diff_dst_desc());
        const TensorView dw = lowering.make_gradient(input(1), described.diff_weights_desc());
        Arguments arguments = {
            {DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_WEIGHTS, dw}};
        if (fuses_bias_) {
            arguments.emplace_back(DNNL_ARG_DIFF_BIAS, lowering.make_gradient(input(2), bias_));
        }
        std::vector<Call> calls = {lowering.call<BackwardWeights>(described, std::move(arguments))};
        if (op_.bias && !fuses_bias_) {
            calls.push_back(bias_gradient_call(dy, lowering.make_gradient(input(2), bias_)));
        }
        compute(lowering, way, text_of(x.desc, dy.desc), std::move(calls));
    }

private:
    void prepare(Lowering& lowering) {
        window_ = window_of(op_, lowering.graph().tensors[input(0)].tensor);
        for (auto& dilation : window_.dilation) {
            --dilation;  // the library counts the gaps
        }
        const ElementType type = lowering.element_type();
        weight_dims_ = lowering.extents(input(1));
        if (op_.groups > 1) {
            weight_dims_[0] /= op_.groups;
            weight_dims_.insert(weight_dims_.begin(), op_.groups);
        }
        own_.weight_dims = weight_dims_;
        const ImageLayout layout = lowering.execution().engine.image_layout;
        x_ = asked_layout(layout, lowering.extents(input(0)), type);
        y_ = asked_layout(layout, lowering.extents(output()), type);
        weight_ = any_layout(weight_dims_, type);
        fuses_bias_ = op_.bias && lowering.execution().engine.bias == BiasAddition::fused;
        own_.fuses_bias = fuses_bias_;
        bias_ = op_.bias ? plain(lowering.extents(input(2)), ElementType::f32) : Desc();
        fused_bias_ = fuses_bias_ ? bias_ : Desc();
    }

    template <class Described>
    void forward_by_own(Lowering& lowering, TakenWay<Described> way) const {
        const FusedResult fused = own_.forward_fused(lowering, way.algorithm, bias_, way.text());
        if (fused.fused == Fused::no) {
            way.algorithm = with_reason(std::move(way.algorithm), fused.apart);
            own_.compute(lowering, Pass::forward, way.own, way.text());
        }
    }

    // Adds the step of one of the library's ways.
    template <class Described>
    void compute(Lowering& lowering, const TakenWay<Described>& way, std::string layout,
                 std::vector<Call> calls) const {
        StepText text = way.text();
        text.implementation = way.library->impl_info_str();
        text.implementation += calls.size() > 1 ? " + strata:loops" : "";
        text.layout = std::move(layout);
        lowering.compute(std::move(text), std::move(calls), scratchpad_of(*way.library));
    }

    // Tries one way after the other; the last one's refusal is the layer's.
    template <class Describe>
    TakenWay<std::invoke_result_t<Describe, const LibraryWay&>> first_way(
        Lowering& lowering, Pass pass, const Describe& describe_library) {
        TakenWay<std::invoke_result_t<Describe, const LibraryWay&>> taken;
        AskedAlgorithm asked = asked_algorithm(lowering, layer_, pass);
        if (asked.is_open) {
            if (const auto method = own_.faster_than_library(lowering, pass)) {
                asked.expect(*method);
            }
        }
        std::string refusal;
        for (std::size_t i = 0; i < asked.ways.size(); ++i) {
            try {
                if (const auto* own = std::get_if<OwnWay>(&asked.ways[i])) {
                    taken.own = own_.prepare(lowering, pass, own->method);
                    taken.algorithm = own->method;
                } else {
                    const auto& library = std::get<LibraryWay>(asked.ways[i]);
                    taken.library = describe_library(library);
                    taken.algorithm = algorithm_of(taken.library->impl_info_str());
                    if (library.implementation.empty() && runs_plain_loops(*taken.library)) {
                        take_instead_of_plain_loops(lowering, pass, taken);
                    }
                }
                taken.choice = choice_of(asked, i, refusal);
                return taken;
            } catch (const Refusal& refused) {
                refusal = refused.reason;
            } catch (const dnnl::error& error) {
                refusal = library_refusal(error);
            }
        }
        throw Refusal{refusal};
    }

    // The library computes some gradients of weights by reference loops, which may dominate a
    // training step: depthwise ones of windows other than 3x3, groups of few channels, and, without
    // AVX-512, images smaller than their window.
    template <class Described>
    void take_instead_of_plain_loops(Lowering& lowering, Pass pass,
                                     TakenWay<Described>& taken) const {
        if (pass == Pass::backward_weights && op_.kernel.size() == 2) {
            const std::string_view method = is_depthwise() ? direct_method : gemm_method;
            try {
                taken.own = own_.prepare_in_f32(lowering, pass, method);
                taken.algorithm = method;
            } catch (const Refusal&) {
                // It needs more scratch memory than is allowed; the reference loops need none.
            }
        }
    }

    bool is_depthwise() const {
        return op_.groups > 1 && weight_dims_[1] == 1 && weight_dims_[2] == 1;
    }

    static SuitedImplementation suited(const Lowering& lowering, const LibraryWay& way) {
        return {way.implementation, lowering.execution().engine.workspace_limit};
    }

    Forward::primitive_desc forward_as(Lowering& lowering, algorithm kind,
                                       const SuitedImplementation& suited = {}) const {
        return forward_as(lowering, kind, suited, lowering.attributes(), fused_bias_, y_);
    }

    Forward::primitive_desc forward_as(Lowering& lowering, algorithm kind,
                                       const SuitedImplementation& suited,
                                       const dnnl::primitive_attr& attributes, const Desc& bias,
                                       const Desc& y) const {
        return describe_fitting<Forward>(
            {lowering.engine(), attributes}, suited, lowering.forward_kind(), kind, x_, weight_,
            bias, y, window_.stride, window_.dilation, window_.pad_begin, window_.pad_end);
    }

    // Lowers the layer together with its followers; a separate bias prevents that.
    FusedResult lower_fused(Lowering& lowering, const LibraryWay& way, const StepText& text) const {
        if (op_.bias && !fuses_bias_) {
            return {Fused::no,
                    lowering.followers().empty() ? "" : "not fused: its bias is separate"};
        }
        return lower_fused_forward<Forward>(
            lowering, layer_, bias_, text,
            [&](const dnnl::primitive_attr& attributes, const Desc& bias, const Desc& y) {
                return forward_as(lowering, way.kind, suited(lowering, way), attributes, bias,
                                  is_any(y) ? y_ : y);
            });
    }

    BackwardData::primitive_desc describe_data(Lowering& lowering, const LibraryWay& way) const {
        const Desc x = lowering.shaped_value(input(0)).desc;
        const auto forward = forward_as(lowering, way.kind);
        const auto with_source = [&](const Desc& dx) {
            return prefer_layout(
                weight_, preferred_weight(lowering),
                [&](const Desc& weight) {
                    return describe_backward_fitting<BackwardData>(
                        lowering.context(), suited(lowering, way), forward, way.kind, dx, weight,
                        y_, window_.stride, window_.dilation, window_.pad_begin, window_.pad_end);
                },
                [](const auto& described) { return described.weights_desc(); });
        };
        return prefer_layout(x_, x, with_source,
                             [](const auto& described) { return described.diff_src_desc(); });
    }

    // The layout in which the forward pass read them, which need not be the stored one.
    Desc preferred_weight(Lowering& lowering) const {
        return forward_ ? forward_->weights_desc() : lowering.value(input(1)).desc;
    }

    // If the forward pass reads narrower weights than the update changes, the masters get the
    // layout of their gradients: then only the copy to the narrow weights is a reorder.
    void place_master(Lowering& lowering) const {
        if (lowering.trains() && lowering.element_type() != ElementType::f32) {
            lowering.value(input(1),
                           describe_weights(lowering, any_weight(), {}).diff_weights_desc());
        }
    }

    // Weight gradients are f32 even if activations are bf16, as the update requires.
    Desc any_weight() const { return any_layout(weight_dims_, ElementType::f32); }

    BackwardWeights::primitive_desc describe_weights(Lowering& lowering, const Desc& present,
                                                     const LibraryWay& way) const {
        const auto forward = forward_as(lowering, way.kind);
        const auto with_source = [&](const Desc& x) {
            return prefer_layout(
                any_weight(), present,
                [&](const Desc& dw) {
                    return describe_backward_fitting<BackwardWeights>(
                        lowering.context(), suited(lowering, way), forward, way.kind, x, dw,
                        fused_bias_, y_, window_.stride, window_.dilation, window_.pad_begin,
                        window_.pad_end);
                },
                [](const auto& described) { return described.diff_weights_desc(); });
        };
        if (forward_) {
            return with_source(forward_->src_desc());
        }
        return prefer_layout(x_, lowering.shaped_value(input(0)).desc, with_source,
                             [](const auto& described) { return described.src_desc(); });
    }

    const Convolution& op_;
    OwnConvolution own_;
    Window window_;
    dnnl::memory::dims weight_dims_;
    Desc x_, weight_, bias_, y_;
    Desc fused_bias_;  // empty if our own loops add it
    bool fuses_bias_ = false;
    std::optional<Forward::primitive_desc> forward_;  // unless one of our own methods computes it
};

}  // namespace

Made lower(const Layer& layer, const Convolution& op) {
    return std::make_unique<ConvolutionLowering>(layer, op);
}

}  // namespace strata::cpu
