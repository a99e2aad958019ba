// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/choose.h"
#include "backend/cpu/onednn/layer_lowering.h"
#include "op/window.h"

namespace strata::cpu {

namespace {

using Forward = dnnl::convolution_forward;
using BackwardData = dnnl::convolution_backward_data;
using BackwardWeights = dnnl::convolution_backward_weights;
using dnnl::algorithm;

// Below it, Winograd's tiles are mostly padding, and direct convolution is faster (platform facts,
// section 2: 13-110 against 300 GFLOP/s in the first layer of VGG-16).
constexpr std::int64_t min_winograd_channels = 16;

// The algorithm that an implementation actually uses, by its name.
std::string algorithm_of(const char* implementation) {
    const bool winograd = std::string_view(implementation).find("wino") != std::string_view::npos;
    return winograd ? "winograd" : "direct";
}

class ConvolutionLowering : public LayerLowering {
public:
    ConvolutionLowering(const Layer& layer, const Convolution& op)
        : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        prepare(lowering);
        const auto described = describe_forward(lowering);
        forward_ = described;
        place_master(lowering);
        const TensorView x = lowering.value(input(0), described.src_desc());
        const TensorView weight = lowering.value(input(1), described.weights_desc());
        std::vector<std::pair<int, TensorView>> arguments = {{DNNL_ARG_SRC, x},
                                                             {DNNL_ARG_WEIGHTS, weight}};
        if (op_.bias) {
            arguments.emplace_back(DNNL_ARG_BIAS, lowering.value(input(2), bias_));
        }
        const TensorView y = lowering.make_value(output(), described.dst_desc());
        arguments.emplace_back(DNNL_ARG_DST, y);
        lowering.compute<Forward>(described, text_of(x.desc, y.desc), std::move(arguments),
                                  algorithm_of(described.impl_info_str()));
    }

    void backward_data(Lowering& lowering) override {
        const auto described = describe_data(lowering);
        const TensorView dy = lowering.gradient(output(), described.diff_dst_desc());
        const TensorView weight = lowering.value(input(1), described.weights_desc());
        const TensorView dx = lowering.make_gradient(input(0), described.diff_src_desc());
        lowering.compute<BackwardData>(
            described, text_of(dy.desc, dx.desc),
            {{DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_WEIGHTS, weight}, {DNNL_ARG_DIFF_SRC, dx}},
            algorithm_of(described.impl_info_str()));
    }

    void backward_weights(Lowering& lowering) override {
        const auto described = describe_weights(lowering, lowering.value(input(1)).desc);
        const TensorView x = lowering.value(input(0), described.src_desc());
        const TensorView dy = lowering.gradient(output(), described.diff_dst_desc());
        const TensorView dw = lowering.make_gradient(input(1), described.diff_weights_desc());
        std::vector<std::pair<int, TensorView>> arguments = {
            {DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_WEIGHTS, dw}};
        if (op_.bias) {
            arguments.emplace_back(DNNL_ARG_DIFF_BIAS, lowering.make_gradient(input(2), bias_));
        }
        lowering.compute<BackwardWeights>(described, text_of(x.desc, dy.desc), std::move(arguments),
                                          algorithm_of(described.impl_info_str()));
    }

private:
    void prepare(Lowering& lowering) {
        const Tensor& x = lowering.graph().tensors[input(0)].tensor;
        window_ = window_of(op_, x);
        for (auto& dilation : window_.dilation) {
            --dilation;  // the library counts the gaps
        }
        const ElementType type = lowering.element_type();
        weight_dims_ = lowering.extents(input(1));
        if (op_.groups > 1) {
            weight_dims_[0] /= op_.groups;
            weight_dims_.insert(weight_dims_.begin(), op_.groups);
        }
        x_ = any_layout(lowering.extents(input(0)), type);
        y_ = any_layout(lowering.extents(output()), type);
        weight_ = any_layout(weight_dims_, type);
        bias_ = op_.bias ? plain(lowering.extents(input(2)), ElementType::f32) : Desc();
        winograd_fits_ = x.dims[1] >= min_winograd_channels && op_.groups == 1;
    }

    // Tries the requested algorithm, then direct.
    template <class Describe>
    auto with_algorithm(Lowering& lowering, Describe&& describe_as) const {
        const ConvolutionAlgorithm wanted = lowering.execution().engine.algorithm;
        if (wanted == ConvolutionAlgorithm::automatic) {
            return describe_as(algorithm::convolution_auto);
        }
        if (wanted == ConvolutionAlgorithm::winograd && winograd_fits_) {
            const auto found =
                described_if_possible([&] { return describe_as(algorithm::convolution_winograd); });
            if (found) {
                return *found;
            }
        }
        return describe_as(algorithm::convolution_direct);
    }

    Forward::primitive_desc forward_as(Lowering& lowering, algorithm kind) const {
        return describe<Forward>(lowering.engine(), lowering.attributes(), lowering.forward_kind(),
                                 kind, x_, weight_, bias_, y_, window_.stride, window_.dilation,
                                 window_.pad_begin, window_.pad_end);
    }

    Forward::primitive_desc describe_forward(Lowering& lowering) const {
        return with_algorithm(lowering, [&](algorithm kind) { return forward_as(lowering, kind); });
    }

    BackwardData::primitive_desc describe_data(Lowering& lowering) const {
        const Desc x = lowering.shaped_value(input(0)).desc;
        return with_algorithm(lowering, [&](algorithm kind) {
            const auto forward = forward_as(lowering, kind);
            const auto with_source = [&](const Desc& dx) {
                return prefer_layout(
                    weight_, forward_->weights_desc(),
                    [&](const Desc& weight) {
                        return describe_backward<BackwardData>(
                            lowering.engine(), lowering.attributes(), forward, kind, dx, weight, y_,
                            window_.stride, window_.dilation, window_.pad_begin, window_.pad_end);
                    },
                    [](const auto& described) { return described.weights_desc(); });
            };
            return prefer_layout(x_, x, with_source,
                                 [](const auto& described) { return described.diff_src_desc(); });
        });
    }

    // If the forward pass reads narrower weights than the update changes, the masters get the
    // layout of their gradients: then only the copy to the narrow weights is a reorder.
    void place_master(Lowering& lowering) const {
        if (lowering.trains() && lowering.element_type() != ElementType::f32) {
            lowering.value(input(1), describe_weights(lowering, any_weight()).diff_weights_desc());
        }
    }

    // Weight gradients are f32 even if activations are bf16, as the update requires.
    Desc any_weight() const { return any_layout(weight_dims_, ElementType::f32); }

    BackwardWeights::primitive_desc describe_weights(Lowering& lowering,
                                                     const Desc& present) const {
        return with_algorithm(lowering, [&](algorithm kind) {
            const auto forward = forward_as(lowering, kind);
            return prefer_layout(
                any_weight(), present,
                [&](const Desc& dw) {
                    return describe_backward<BackwardWeights>(
                        lowering.engine(), lowering.attributes(), forward, kind,
                        forward_->src_desc(), dw, bias_, y_, window_.stride, window_.dilation,
                        window_.pad_begin, window_.pad_end);
                },
                [](const auto& described) { return described.diff_weights_desc(); });
        });
    }

    const Convolution& op_;
    Window window_;
    dnnl::memory::dims weight_dims_;
    Desc x_, weight_, bias_, y_;
    bool winograd_fits_ = false;
    std::optional<Forward::primitive_desc> forward_;
};

}  // namespace

Made lower(const Layer& layer, const Convolution& op) {
    return std::make_unique<ConvolutionLowering>(layer, op);
}

}  // namespace strata::cpu
