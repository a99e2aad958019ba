// SPDX-License-Identifier: MIT
#include "backend/cuda/cudnn/plan.h"

#include "backend/cuda/device/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata::cuda {

namespace {

cudnnBackendHeurMode_t mode_of(HeuristicMode mode) {
    switch (mode) {
        case HeuristicMode::b:
            return CUDNN_HEUR_MODE_B;
        case HeuristicMode::fallback:
            return CUDNN_HEUR_MODE_FALLBACK;
        case HeuristicMode::a:
        case HeuristicMode::every:
            break;
    }
    return CUDNN_HEUR_MODE_A;
}

NumericalNotes notes_of(const Descriptor& engine) {
    const auto values = engine.get_all<cudnnBackendNumericalNote_t>(
        CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE);
    const auto has = [&](cudnnBackendNumericalNote_t note) {
        return std::ranges::find(values, note) != values.end();
    };
    return {.tensor_core = has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE),
            .down_converts_inputs = has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS),
            .reduced_precision_reduction = has(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION),
            .fft = has(CUDNN_NUMERICAL_NOTE_FFT),
            .nondeterministic = has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC),
            .winograd = has(CUDNN_NUMERICAL_NOTE_WINOGRAD)};
}

// cuDNN does not report the number of choices, but there cannot be more than types of knobs.
std::vector<std::pair<int, std::int64_t>> knobs_of(const Descriptor& configuration) {
    std::vector<std::pair<int, std::int64_t>> knobs;
    for (const Descriptor& choice :
         configuration.children(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, CUDNN_KNOB_TYPE_COUNTS)) {
        const auto type = choice.get_all<cudnnBackendKnobType_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE,
                                                                 CUDNN_TYPE_KNOB_TYPE);
        knobs.emplace_back(static_cast<int>(type.at(0)),
                           choice.get_integer(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE));
    }
    return knobs;
}

PlanTraits traits_of(const Descriptor& configuration) {
    const auto engines =
        configuration.children(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
    const Descriptor& engine = engines.at(0);
    const auto behaviours = engine.get_all<cudnnBackendBehaviorNote_t>(
        CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE);
    const bool compiles =
        std::ranges::find(behaviours, CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION) != behaviours.end();
    return {.engine = engine.get_integer(CUDNN_ATTR_ENGINE_GLOBAL_INDEX),
            .knobs = knobs_of(configuration),
            .notes = notes_of(engine),
            .compiles_at_run_time = compiles};
}

}  // namespace

std::string name_of(const PlanTraits& traits) {
    std::string name = fmt::format("eng{}", traits.engine);
    for (const auto& [type, value] : traits.knobs) {
        name += fmt::format(" k{}={}", type, value);
    }
    return name;
}

std::string text_of(const NumericalNotes& notes) {
    const std::array<std::pair<bool, std::string_view>, 6> texts = {
        {{notes.tensor_core, "tensor cores"},
         {notes.down_converts_inputs, "inputs narrowed"},
         {notes.reduced_precision_reduction, "sums narrowed"},
         {notes.fft, "fft"},
         {notes.winograd, "winograd"},
         {notes.nondeterministic, "nondeterministic"}}};
    std::string joined;
    for (const auto& [holds, text] : texts) {
        if (holds) {
            joined += joined.empty() ? "" : ", ";
            joined += text;
        }
    }
    return joined;
}

namespace {

// An engine that does not support the graph cannot be finalised.
std::optional<OfferedPlan> plan_of_engine(const Descriptor& graph, const PlanTarget& target,
                                          std::int64_t number) {
    try {
        Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
        engine.set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph);
        engine.set(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, number);
        target.set_on(engine, {}, CUDNN_ATTR_ENGINE_DEVICEPROP);
        engine.finalize();
        Descriptor configuration(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
        configuration.set(CUDNN_ATTR_ENGINECFG_ENGINE, engine);
        configuration.finalize();
        PlanTraits traits = traits_of(configuration);
        return OfferedPlan{std::move(configuration), std::move(traits)};
    } catch (const DeviceError&) {
        return std::nullopt;
    }
}

std::vector<OfferedPlan> plans_of_every_engine(const Descriptor& graph, const PlanTarget& target) {
    std::vector<OfferedPlan> plans;
    const std::int64_t engines = graph.get_integer(CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT);
    for (std::int64_t number = 0; number < engines; ++number) {
        if (auto plan = plan_of_engine(graph, target, number)) {
            plans.push_back(std::move(*plan));
        }
    }
    return plans;
}

}  // namespace

std::vector<OfferedPlan> offered_plans(const Descriptor& graph, const PlanTarget& target,
                                       HeuristicMode mode) {
    if (mode == HeuristicMode::every) {
        return plans_of_every_engine(graph, target);
    }
    Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    const cudnnBackendHeurMode_t asked = mode_of(mode);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &asked);
    target.set_on(heuristics, {}, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP);
    heuristics.finalize();
    const std::int64_t count =
        heuristics.count(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR);
    std::vector<OfferedPlan> plans;
    for (Descriptor& configuration : heuristics.children(
             CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, count)) {
        PlanTraits traits = traits_of(configuration);
        plans.push_back({std::move(configuration), std::move(traits)});
    }
    return plans;
}

BuiltPlan build_plan(const OfferedPlan& offered, const PlanTarget& target) {
    Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, offered.configuration);
    target.set_on(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP);
    plan.finalize();
    const auto workspace =
        static_cast<std::size_t>(plan.get_integer(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
    return {std::move(plan), offered.traits, workspace};
}

std::optional<BuiltPlan> plan_if_built(const OfferedPlan& offered, const PlanTarget& target) {
    try {
        return build_plan(offered, target);
    } catch (const DeviceError&) {
        return std::nullopt;
    }
}

}  // namespace strata::cuda
