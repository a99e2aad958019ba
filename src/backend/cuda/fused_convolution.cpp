// SPDX-License-Identifier: MIT
#include "backend/cuda/fused_convolution.h"

#include "backend/cuda/convolution.h"
#include "backend/cuda/kernels/fold_normalization.h"
#include "graph/fuse.h"

#include <fmt/format.h>

namespace strata::cuda {

namespace {

constexpr Format full_rows = {ElementType::f32, Order::rows};

// One convolution fused with these followers.
class FusedConvolution {
public:
    FusedConvolution(Lowering& lowering, const Layer& layer, const Format& format,
                     const std::vector<LayerId>& followers)
        : lowering_(lowering), layer_(layer), format_(format), followers_(followers) {
        TensorId before = layer.outputs[0];
        for (const LayerId id : followers) {
            add(lowering.graph().layers[id], before);
            before = lowering.graph().layers[id].outputs[0];
        }
        result_ = before;
    }

    // Throws Refusal before anything is added if cuDNN has no plan.
    void lower(const std::string& apart) {
        ConvolutionStep step = convolution_step(lowering_, problem(), {});
        const TensorView x = lowering_.value(layer_.inputs[0], format_);
        const TensorView w =
            normalization_ ? folded_weights() : lowering_.value(layer_.inputs[1], format_);
        std::vector<TensorView> operands;
        if (image_) {
            operands.push_back(lowering_.value(*image_, format_));
        }
        operands.push_back(normalization_ ? folded_bias() : bias());
        step.call.views = {x, w, lowering_.make_value(result_, format_)};
        step.call.views.insert(step.call.views.end(), operands.begin(), operands.end());
        step.text.implementation += kinds_of_followers();
        step.text.algorithm += step.text.algorithm.empty() || apart.empty() ? apart : ", " + apart;
        lowering_.compute(std::move(step.text), {std::move(step.call)});
        for (const LayerId follower : followers_) {
            lowering_.include(follower);
        }
    }

private:
    bool has_bias() const { return layer_.inputs.size() > 2; }

    void add(const Layer& follower, TensorId before) {
        if (std::holds_alternative<BatchNormalization>(follower.op)) {
            normalization_ = &follower;
        } else if (std::holds_alternative<Elementwise>(follower.op)) {
            image_ = other_operand(follower, before);
        } else {
            has_relu_ = true;
        }
    }

    // The operation has a bias even if the network has none: cuDNN's engines require it.
    ConvolutionProblem problem() const {
        ConvolutionProblem problem = problem_of_pass(lowering_.graph(), layer_, Pass::forward,
                                                     format_, lowering_.execution());
        if (image_) {
            problem.epilogue.push_back(Epilogue::add_image);
        }
        problem.epilogue.push_back(Epilogue::add_bias);
        if (has_relu_) {
            problem.epilogue.push_back(Epilogue::relu);
        }
        return problem;
    }

    Format bias_format() const { return {format_.type, Order::rows}; }
    Dims channels() const { return {lowering_.dims(layer_.inputs[1])[0]}; }

    TensorView bias() {
        return has_bias() ? lowering_.value(layer_.inputs[2], bias_format())
                          : lowering_.make_persistent(channels(), bias_format());
    }

    FoldedNormalization folded() const {
        const Dims& w = lowering_.dims(layer_.inputs[1]);
        return {.channels = w[0],
                .inputs = w[1],
                .positions = product(std::span(w).subspan(2)),
                .epsilon = std::get<BatchNormalization>(normalization_->op).epsilon};
    }

    TensorView parameter(std::size_t operand) {
        return lowering_.value(normalization_->inputs[operand], full_rows);
    }

    // Uses the original weights, so that they are rounded only once.
    TensorView folded_weights() {
        const TensorView given = lowering_.value(layer_.inputs[1], full_rows);
        const TensorView scaled = lowering_.make_persistent(given.dims, format_);
        lowering_.compute_once({fold_into_weights(folded(), scaled.format),
                                {given, parameter(1), parameter(4), scaled}});
        return scaled;
    }

    TensorView folded_bias() {
        const TensorView shift = lowering_.make_persistent(channels(), bias_format());
        const TensorView given = has_bias() ? lowering_.value(layer_.inputs[2], full_rows)
                                            : lowering_.make_persistent(channels(), full_rows);
        lowering_.compute_once(
            {fold_into_bias(folded(), shift.format.type),
             {given, parameter(1), parameter(2), parameter(3), parameter(4), shift}});
        return shift;
    }

    // Names the kinds of layers only, so that equal operations of different layers have equal text.
    std::string kinds_of_followers() const {
        std::string kinds = has_bias() ? " fused with bias" : "";
        for (const LayerId follower : followers_) {
            kinds += kinds.empty() ? " fused with " : ", ";
            kinds += kind_of(lowering_.graph().layers[follower].op);
        }
        return kinds;
    }

    Lowering& lowering_;
    const Layer& layer_;
    const Format& format_;
    const std::vector<LayerId>& followers_;
    const Layer* normalization_ = nullptr;
    std::optional<TensorId> image_;
    bool has_relu_ = false;
    TensorId result_ = 0;
};

}  // namespace

// Drops the last follower until a plan is found. Without followers, only a bias is fused.
FusedResult lower_fused_convolution(Lowering& lowering, const Layer& layer, const Format& format) {
    std::vector<LayerId> followers = lowering.followers();
    std::string apart;
    while (!followers.empty() || layer.inputs.size() > 2) {
        try {
            FusedConvolution(lowering, layer, format, followers).lower(apart);
            return {Fused::done, apart};
        } catch (const Refusal& refusal) {
            apart = "not fused further: " + refusal.reason;
        }
        if (followers.empty()) {
            break;
        }
        followers.pop_back();
    }
    return {Fused::no, apart};
}

}  // namespace strata::cuda
