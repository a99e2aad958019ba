// SPDX-License-Identifier: MIT
#include "backend/cuda/convolution.h"

#include "backend/cuda/kernels/normalization.h"
#include "graph/fuse.h"

namespace strata::cuda {

namespace {

constexpr Format full_rows = {ElementType::f32, Order::rows};

// One convolution fused with these followers.
class FusedConvolution {
public:
    FusedConvolution(Lowering& lowering, const Layer& layer, const Format& format,
                     const std::vector<LayerId>& followers)
        : lowering_(lowering),
          layer_(layer),
          format_(format),
          followers_(followers),
          operations_(operations_of(lowering.graph(), layer, followers)) {}

    // Throws Refusal before anything is added if cuDNN has no plan.
    void lower(const std::string& apart) {
        ConvolutionStep step = convolution_step(lowering_, problem(), {});
        const TensorView x = lowering_.value(layer_.inputs[0], format_);
        const TensorView w =
            is_normalized() ? folded_weights() : lowering_.value(layer_.inputs[1], format_);
        std::vector<TensorView> operands;
        if (operations_.addend) {
            operands.push_back(lowering_.value(*operations_.addend, format_));
        }
        operands.push_back(is_normalized() ? folded_bias() : bias());
        step.call.views = {x, w, lowering_.make_value(operations_.result, format_)};
        step.call.views.insert(step.call.views.end(), operands.begin(), operands.end());
        step.text.implementation += text_of_fused(
            lowering_.graph(), has_bias() ? FusedBias::yes : FusedBias::no, followers_);
        step.text.algorithm = with_reason(std::move(step.text.algorithm), apart);
        lowering_.compute(std::move(step.text), {std::move(step.call)});
        for (const LayerId follower : followers_) {
            lowering_.include(follower);
        }
    }

private:
    bool has_bias() const { return layer_.inputs.size() > 2; }

    bool is_normalized() const { return operations_.normalization != nullptr; }

    // The operation has a bias even if the network has none: cuDNN's engines require it.
    ConvolutionProblem problem() const {
        ConvolutionProblem problem = problem_of_pass(lowering_.graph(), layer_, Pass::forward,
                                                     format_, lowering_.execution());
        if (operations_.addend) {
            problem.epilogue.push_back(Epilogue::add_image);
        }
        problem.epilogue.push_back(Epilogue::add_bias);
        if (operations_.relu) {
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
                .epsilon = std::get<BatchNormalization>(operations_.normalization->op).epsilon};
    }

    TensorView parameter(std::size_t operand) {
        return lowering_.value(operations_.normalization->inputs[operand], full_rows);
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

    Lowering& lowering_;
    const Layer& layer_;
    const Format& format_;
    const std::vector<LayerId>& followers_;
    FollowingOperations operations_;
};

}  // namespace

// Without followers, only a bias is fused.
FusedResult lower_fused_convolution(Lowering& lowering, const Layer& layer, const Format& format) {
    const ChainEnd end = layer.inputs.size() > 2 ? ChainEnd::none : ChainEnd::one_follower;
    return lower_longest_chain(
        lowering.followers(), end,
        [&](const std::vector<LayerId>& followers, const std::string& apart) {
            FusedConvolution(lowering, layer, format, followers).lower(apart);
        });
}

}  // namespace strata::cuda
