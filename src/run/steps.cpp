// SPDX-License-Identifier: MIT
#include "run/steps.h"

#include "op/convention.h"
#include "op/problem.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace strata {

namespace {

// The common data of equal layers, each computed once.
class AlikeLayers {
public:
    explicit AlikeLayers(const Plan& plan)
        : plan_(plan),
          update_(cost_of(plan.numerics.optimizer)),
          first_(first_alike(plan.graph)),
          facts_(plan.graph.layers.size()) {}

    const std::string& problem(LayerId layer) {
        std::string& problem = facts_[first_[layer]].problem;
        if (problem.empty()) {
            problem = to_text(problem_of(plan_.graph.layers[layer].op, plan_.signatures[layer]));
        }
        return problem;
    }

    const RunWork& work(LayerId layer, Pass pass) {
        auto& known = facts_[first_[layer]].work[static_cast<std::size_t>(pass)];
        if (!known) {
            const Op& op = plan_.graph.layers[layer].op;
            const Signature& signature = plan_.signatures[layer];
            const Work work = work_of(op, signature, pass, update_);
            known = RunWork{.flops = count(op, signature, pass, conventions().front(), update_),
                            .read = work.read,
                            .written = work.written};
        }
        return *known;
    }

private:
    struct Facts {
        std::string problem = {};
        std::array<std::optional<RunWork>, all_passes.size()> work = {};
    };

    const Plan& plan_;
    UpdateCost update_;
    std::vector<LayerId> first_;
    std::vector<Facts> facts_;  // by the first equal layer
};

// A compute step has its layer's work; steps that the engine adds have none and only move bytes. If
// a layer's result is its input, there is no work.
RunWork work_of_step(const Step& step, AlikeLayers& layers) {
    if (step.kind != StepKind::compute) {
        return {.flops = {}, .read = step.moved / 2, .written = step.moved / 2};
    }
    return step.implementation_kind == ImplementationKind::alias
               ? RunWork{}
               : layers.work(step.layer, step.pass);
}

const PassCheck* check_of(const Step& step, const PassChecks& checks) {
    const auto found = checks.find({step.layer, step.pass});
    const bool is_own = step.kind == StepKind::compute && step.runs();
    return is_own && found != checks.end() ? &found->second : nullptr;
}

Measurement planned(const Graph& graph, const Step& step, const PassCheck* check) {
    if (const auto within = step.within()) {
        const std::string& layer = graph.layers[within->layer].name;
        return Included{layer + " " + std::string(name_of(within->pass))};
    }
    if (step.is_refused()) {
        return Skipped{step.refusal()};
    }
    if (check != nullptr && !check->reason.empty()) {
        return Failed{check->reason};
    }
    return step.implementation_kind == ImplementationKind::alias ? Measurement(NoOp{}) : Samples{};
}

// Two passes of one layer in one step read the same operands once and write the gradients of both.
// A fused follower reads the previous layer's result without going through memory: only the last
// result is written. (A compiled network may fuse layers whose operands are smaller than that
// result; their traffic is clamped at 0.)
void join(StepResult& whole, StepResult& part) {
    const bool is_same_layer = whole.layer == part.layer;
    whole.flops = whole.flops + part.flops;
    whole.read = is_same_layer ? std::max(whole.read, part.read)
                               : whole.read + part.read - std::min(part.read, whole.written);
    whole.written = is_same_layer ? whole.written + part.written : part.written;
    part.flops = {};
    part.read = {};
    part.written = {};
}

// The work of included steps belongs to the step too.
void join_work(std::span<const Step> steps, std::vector<StepResult>& results) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!steps[i].within()) {
            continue;
        }
        const auto enclosing = std::ranges::find_if(steps, [&](const Step& step) {
            return step.kind == StepKind::compute && !step.within() &&
                   steps[i].within() == Task{step.layer, step.pass};
        });
        if (enclosing != steps.end() && enclosing->is_refused()) {
            results[i].time = Skipped{enclosing->refusal()};
        } else if (enclosing != steps.end()) {
            join(results[static_cast<std::size_t>(enclosing - steps.begin())], results[i]);
        }
    }
}

}  // namespace

std::vector<StepResult> step_results(const Plan& plan, std::span<const Step> steps,
                                     const PassChecks& checks) {
    const Graph& graph = plan.graph;
    AlikeLayers layers(plan);
    std::vector<StepResult> results;
    results.reserve(steps.size());
    for (const Step& step : steps) {
        const Layer& layer = graph.layers[step.layer];
        StepResult& result = results.emplace_back();
        result.layer = layer.name;
        result.alias = layer.alias;
        result.operation = kind_of(layer.op);
        result.pass = step.pass;
        result.kind = step.kind;
        result.implementation = step.implementation;
        result.implementation_kind = step.implementation_kind;
        result.algorithm = step.algorithm;
        result.layout = step.layout;
        result.problem = layers.problem(step.layer);
        result.workspace = step.workspace;
        const PassCheck* check = check_of(step, checks);
        result.time = planned(graph, step, check);
        if (check != nullptr && check->error.tolerance > 0) {
            result.verified = check->error;
        }
        const RunWork work = work_of_step(step, layers);
        result.flops = work.flops;
        result.read = work.read;
        result.written = work.written;
    }
    join_work(steps, results);
    return results;
}

RunWork work_of_steps(const Plan& plan, std::span<const Step> steps) {
    RunWork sum;
    const auto add = [&](const auto& work) {
        sum.flops += work.flops;
        sum.read += work.read;
        sum.written += work.written;
    };
    if (std::ranges::any_of(steps, [](const Step& step) { return step.within().has_value(); })) {
        std::ranges::for_each(step_results(plan, steps, {}), add);
        return sum;
    }
    AlikeLayers layers(plan);
    for (const Step& step : steps) {
        add(work_of_step(step, layers));
    }
    return sum;
}

std::vector<Step> scheduled_steps(const Plan& plan, const std::string& reason) {
    std::vector<Step> steps;
    for (const Task& task : plan.schedule.tasks) {
        steps.push_back({.layer = task.layer, .pass = task.pass, .state = Refused{reason}});
    }
    return steps;
}

}  // namespace strata
