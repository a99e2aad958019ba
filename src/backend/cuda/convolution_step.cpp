// SPDX-License-Identifier: MIT
#include "backend/cuda/convolution.h"

#include "backend/cuda/cudnn/device.h"
#include "backend/cuda/device/trouble.h"

#include <fmt/format.h>

namespace strata::cuda {

namespace {

// The number of plans of a list that are worth a trial.
constexpr std::size_t max_tried_plans = 8;

std::size_t max_plans_of(const ConvolutionProblem& problem) {
    return problem.algorithm == ConvolutionAlgorithm::fastest ? max_tried_plans : 1;
}

using Plans = std::vector<std::shared_ptr<const BuiltPlan>>;

// The first plans that cuDNN can build, up to the maximum; none if all of a list fail.
Plans first_plans(const ConvolutionProblem& problem, ConvolutionAlgorithm algorithm,
                  const Descriptor& device, HeuristicMode mode) {
    Plans plans;
    for (const OfferedPlan& offered : offered_plans(convolution_graph(problem), device, mode)) {
        if (plans.size() == max_plans_of(problem)) {
            break;
        }
        // Compiling at run time takes seconds, so such a plan is never a second choice.
        const bool is_costly = !plans.empty() && offered.traits.compiles_at_run_time;
        if (is_costly || !is_precise_enough(problem, offered.traits) ||
            !is_asked_for(algorithm, offered.traits)) {
            continue;
        }
        try {
            plans.push_back(std::make_shared<const BuiltPlan>(build_plan(offered, device)));
        } catch (const DeviceError&) {  // the next plan may work
        }
    }
    return plans;
}

// If there is no plan of the requested algorithm, a direct one is used, and its notes say so.
std::vector<ConvolutionAlgorithm> in_order(ConvolutionAlgorithm asked) {
    return asked == ConvolutionAlgorithm::winograd
               ? std::vector{asked, ConvolutionAlgorithm::direct}
               : std::vector{asked};
}

// A list that cuDNN cannot make counts as an empty one, but gives the reason.
std::shared_ptr<PlanChoice> choice_for(const DeviceProperties& properties,
                                       const ConvolutionProblem& problem) {
    std::string reason = "no plan is offered";
    for (const ConvolutionAlgorithm algorithm : in_order(problem.algorithm)) {
        for (const HeuristicMode mode : {HeuristicMode::a, HeuristicMode::fallback}) {
            try {
                const Descriptor device = device_descriptor(properties);
                if (Plans plans = first_plans(problem, algorithm, device, mode); !plans.empty()) {
                    const bool is_one = plans.size() == 1;
                    return std::make_shared<PlanChoice>(
                        PlanChoice{.plans = std::move(plans), .is_tried = is_one});
                }
            } catch (const DeviceError& error) {
                reason = error.what();
            }
        }
    }
    throw Refusal{fmt::format("cuDNN has no plan for {}: {}", text_of(problem), reason)};
}

// Everything that determines a plan.
std::string key_of(const ConvolutionProblem& problem) {
    const Window& w = problem.window;
    return fmt::format("{} {} {} {} {} {} {} {}", text_of(problem), to_text(problem.y),
                       to_text(w.stride), to_text(w.dilation), to_text(w.pad_begin),
                       to_text(w.pad_end), static_cast<int>(problem.single_precision),
                       static_cast<int>(problem.algorithm));
}

}  // namespace

ConvolutionProblem problem_of_pass(const Graph& graph, const Layer& layer, Pass pass,
                                   const Format& format, const Execution& execution) {
    const Tensor& image = graph.tensors[layer.inputs[0]].tensor;
    const Dims& result = graph.tensors[layer.outputs[0]].tensor.dims;
    const auto* plain = std::get_if<Convolution>(&layer.op);
    const Pass mirrored = pass == Pass::forward         ? Pass::backward_data
                          : pass == Pass::backward_data ? Pass::forward
                                                        : pass;
    return {.pass = plain ? pass : mirrored,
            .x = plain ? image.dims : result,
            .w = graph.tensors[layer.inputs[1]].tensor.dims,
            .y = plain ? result : image.dims,
            .window = plain ? window_of(*plain, image)
                            : window_of(std::get<TransposedConvolution>(layer.op), image),
            .format = format,
            .single_precision = execution.numerics.single_precision,
            .algorithm = execution.engine.algorithm};
}

ConvolutionStep convolution_step(Lowering& lowering, const ConvolutionProblem& problem,
                                 std::vector<TensorView> views) {
    std::shared_ptr<PlanChoice>& choice = lowering.plan_choice(key_of(problem));
    if (!choice) {
        choice = choice_for(lowering.properties(), problem);
    }
    const WayText way = text_of(choice->plan());
    StepText text = {way.implementation, text_of(problem.x, problem.format), way.algorithm};
    return {{convolution_call(problem, choice), std::move(views)}, std::move(text)};
}

Order convolution_order(const Execution& execution) {
    switch (execution.engine.image_layout) {
        case ImageLayout::channels_first:
            return Order::rows;
        case ImageLayout::channels_last:
            return Order::channels_last;
        case ImageLayout::automatic:
            break;
    }
    const bool by_tensor_cores = execution.numerics.dtype != DataType::f32 ||
                                 execution.numerics.single_precision == SinglePrecision::tf32;
    return by_tensor_cores ? Order::channels_last : Order::rows;
}

}  // namespace strata::cuda
