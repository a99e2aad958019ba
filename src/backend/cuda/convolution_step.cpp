// SPDX-License-Identifier: MIT
#include "backend/cuda/convolution.h"

#include "backend/cuda/cudnn/descriptor.h"
#include "backend/cuda/device/trouble.h"
#include "base/unit_text.h"

#include <fmt/format.h>

#include <optional>
#include <set>

namespace strata::cuda {

namespace {

// The number of plans of a list that are worth trying.
constexpr std::size_t max_tried_plans = 8;

// Compiling at run time takes seconds.
enum class BuildCost { any, low };

// cuDNN's plans for a problem, list by list, each built when it is asked for. A list that cuDNN
// cannot make counts as an empty one, but gives the reason.
class OfferedPlans {
public:
    OfferedPlans(const DeviceProperties& properties, const ConvolutionProblem& problem);

    // The next plan that cuDNN can build at this cost; empty if none is left.
    std::shared_ptr<const BuiltPlan> next(BuildCost cost);
    // The same, but only from the list that the previous plan came from.
    std::shared_ptr<const BuiltPlan> next_of_list(BuildCost cost);
    // The plan of this name, whether or not it was built before.
    std::shared_ptr<const BuiltPlan> named(const std::string& name);
    const std::string& reason() const { return reason_; }

private:
    struct List {
        ConvolutionAlgorithm algorithm;
        HeuristicMode mode;
    };

    bool open_next_list();
    bool is_wanted(const PlanTraits& traits, BuildCost cost) const;
    bool is_within_limit(const BuiltPlan& plan);

    DeviceProperties properties_;
    ConvolutionProblem problem_;
    std::vector<List> lists_;
    std::size_t opened_ = 0;  // lists
    std::optional<PlanTarget> target_;
    std::vector<OfferedPlan> offered_;  // of the last list
    std::size_t asked_ = 0;             // of these
    std::set<std::string> seen_;
    std::string reason_ = "no plan is offered";
};

// If there is no plan of the requested algorithm, a direct one is used, and its notes say so.
std::vector<ConvolutionAlgorithm> in_order(ConvolutionAlgorithm asked) {
    const bool always_fits = asked == ConvolutionAlgorithm::direct ||
                             asked == ConvolutionAlgorithm::automatic ||
                             asked == ConvolutionAlgorithm::fastest;
    return always_fits ? std::vector{asked} : std::vector{asked, ConvolutionAlgorithm::direct};
}

OfferedPlans::OfferedPlans(const DeviceProperties& properties, const ConvolutionProblem& problem)
    : properties_(properties), problem_(problem) {
    for (const ConvolutionAlgorithm algorithm : in_order(problem.algorithm)) {
        for (const HeuristicMode mode :
             {HeuristicMode::a, HeuristicMode::fallback, HeuristicMode::every}) {
            lists_.push_back({algorithm, mode});
        }
    }
}

bool OfferedPlans::open_next_list() {
    if (opened_ == lists_.size()) {
        return false;
    }
    offered_.clear();
    asked_ = 0;
    try {
        if (!target_) {
            target_.emplace(properties_);
        }
        offered_ = convolution_plans(problem_, *target_, lists_[opened_].mode);
    } catch (const DeviceError& error) {
        reason_ = error.what();
    }
    ++opened_;
    return true;
}

bool OfferedPlans::is_wanted(const PlanTraits& traits, BuildCost cost) const {
    return (cost == BuildCost::any || !traits.compiles_at_run_time) &&
           is_precise_enough(problem_, traits) &&
           is_asked_for(lists_[opened_ - 1].algorithm, traits);
}

bool OfferedPlans::is_within_limit(const BuiltPlan& plan) {
    const Bytes workspace{static_cast<double>(plan.workspace)};
    const bool fits = !problem_.workspace_limit || workspace <= *problem_.workspace_limit;
    if (!fits) {
        reason_ = fmt::format("{} needs {} of workspace, more than --workspace-limit allows",
                              name_of(plan.traits), byte_size_text(workspace));
    }
    return fits;
}

std::shared_ptr<const BuiltPlan> OfferedPlans::next_of_list(BuildCost cost) {
    while (asked_ < offered_.size()) {
        const OfferedPlan& offered = offered_[asked_++];
        if (!is_wanted(offered.traits, cost) || !seen_.insert(name_of(offered.traits)).second) {
            continue;
        }
        auto built = plan_if_built(offered, *target_);
        if (built && is_within_limit(*built)) {
            return std::make_shared<const BuiltPlan>(std::move(*built));
        }
    }
    return nullptr;
}

std::shared_ptr<const BuiltPlan> OfferedPlans::next(BuildCost cost) {
    std::shared_ptr<const BuiltPlan> plan = next_of_list(cost);
    while (!plan && open_next_list()) {
        plan = next_of_list(cost);
    }
    return plan;
}

std::shared_ptr<const BuiltPlan> OfferedPlans::named(const std::string& name) {
    while (open_next_list()) {
        for (const OfferedPlan& offered : offered_) {
            if (name_of(offered.traits) != name) {
                continue;
            }
            if (auto built = plan_if_built(offered, *target_)) {
                return std::make_shared<const BuiltPlan>(std::move(*built));
            }
        }
    }
    return nullptr;
}

// How many plans are tried. On an H100 cuDNN's first plan for full f32 took up to 3.8 times as long
// as the best of its list; on tensor cores the best of the first three was within 2 % of the best
// of eight for 58 of 72 problems. Loading a plan's kernel takes some 20 ms.
std::size_t plans_to_try(const DeviceProperties& properties, const ConvolutionProblem& problem) {
    constexpr std::size_t on_tensor_cores = 3;
    const bool is_full = problem.format.type == ElementType::f32 &&
                         problem.single_precision == SinglePrecision::full;
    const bool is_present = properties.cudnn != nullptr;
    switch (problem.algorithm) {
        case ConvolutionAlgorithm::fastest:
            return max_tried_plans;
        case ConvolutionAlgorithm::automatic:
            return !is_present ? 1 : is_full ? max_tried_plans : on_tensor_cores;
        default:
            return 1;
    }
}

// The plans of every engine that were not offered before, of those that save operations or add up
// atomically: on an H100 the winners were among them (Winograd by engines 6 and 7 took half of the
// time of what heuristics offered for 3x3 filters). The others are loops that take up to 50 times
// as long.
std::vector<std::shared_ptr<const BuiltPlan>> further_plans(OfferedPlans& offered) {
    std::vector<std::shared_ptr<const BuiltPlan>> plans;
    while (auto plan = offered.next(BuildCost::low)) {
        const NumericalNotes& notes = plan->traits.notes;
        if (notes.winograd || notes.fft || notes.nondeterministic) {
            plans.push_back(std::move(plan));
        }
    }
    return plans;
}

// The first plan and, if several are tried, others of its list.
std::shared_ptr<PlanChoice> choice_for(const DeviceProperties& properties,
                                       const ConvolutionProblem& problem) {
    const auto offered = std::make_shared<OfferedPlans>(properties, problem);
    auto choice = std::make_shared<PlanChoice>();
    const std::size_t max_plans = plans_to_try(properties, problem);
    for (auto plan = offered->next(BuildCost::any); plan;
         plan = offered->next_of_list(BuildCost::low)) {
        choice->plans.push_back(std::move(plan));
        if (choice->plans.size() == max_plans) {
            break;
        }
    }
    if (choice->plans.empty()) {
        throw Refusal{
            fmt::format("cuDNN has no plan for {}: {}", text_of(problem), offered->reason())};
    }
    choice->is_tried = max_plans == 1;
    if (max_plans == max_tried_plans) {  // in full f32, and to find the fastest
        choice->further = [offered] { return further_plans(*offered); };
    }
    choice->next = [offered] { return offered->next(BuildCost::any); };
    choice->again = [properties, problem](const std::string& name) {
        return OfferedPlans(properties, problem).named(name);
    };
    return choice;
}

// Everything that determines a plan.
std::string key_of(const ConvolutionProblem& problem) {
    const Window& w = problem.window;
    return fmt::format("{} {} {} {} {} {} {} {} {}", text_of(problem), to_text(problem.y),
                       to_text(w.stride), to_text(w.dilation), to_text(w.pad_begin),
                       to_text(w.pad_end), static_cast<int>(problem.single_precision),
                       static_cast<int>(problem.algorithm),
                       problem.workspace_limit.value_or(Bytes{}).value);
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
            .algorithm = execution.engine.algorithm,
            .workspace_limit = execution.engine.workspace_limit};
}

ConvolutionStep convolution_step(Lowering& lowering, const ConvolutionProblem& problem,
                                 std::vector<TensorView> views) {
    std::shared_ptr<PlanChoice>& choice = lowering.plan_choice(key_of(problem));
    if (!choice) {
        choice = choice_for(lowering.properties(), problem);
    }
    const WayText way = text_of(*choice->plans.front());
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
        case ImageLayout::blocked:  // refused earlier, like the next
        case ImageLayout::batch_last:
            break;
    }
    const bool by_tensor_cores = execution.numerics.dtype != DataType::f32 ||
                                 execution.numerics.single_precision == SinglePrecision::tf32;
    return by_tensor_cores ? Order::channels_last : Order::rows;
}

}  // namespace strata::cuda
