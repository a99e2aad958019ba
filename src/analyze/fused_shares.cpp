// SPDX-License-Identifier: MIT
#include "analyze/fused_shares.h"

#include "analyze/bottleneck.h"
#include "base/error.h"
#include "op/convention.h"
#include "op/problem.h"
#include "op/work.h"

#include <algorithm>
#include <map>
#include <string>

namespace strata {

namespace {

std::string task_text(const StepResult& step) {
    return step.layer + " " + std::string(name_of(step.pass));
}

// For each measured step, the steps that it does, itself first. Two passes of one layer in one step
// are not a fusion.
std::map<std::size_t, std::vector<std::size_t>> fused_steps(const Run& run) {
    std::map<std::string, std::size_t> measured;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        const StepResult& step = run.steps[i];
        if (step.kind == StepKind::compute && std::holds_alternative<Samples>(step.time)) {
            measured.emplace(task_text(step), i);
        }
    }
    std::map<std::size_t, std::vector<std::size_t>> fused;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        const auto* included = std::get_if<Included>(&run.steps[i].time);
        const auto within = included ? measured.find(included->step) : measured.end();
        if (within != measured.end() && run.steps[within->second].layer != run.steps[i].layer) {
            auto& members = fused.try_emplace(within->second, 1, within->second).first->second;
            members.push_back(i);
        }
    }
    return fused;
}

// The layer's own work; its step's may be more or less.
std::optional<StepResult> alone(const StepResult& step, const UpdateCost& update) {
    try {
        const Problem problem = parse_problem(step.problem);
        const Signature signature = signature_of(problem);
        const Work work = work_of(problem.op, signature, step.pass, update);
        StepResult result;
        result.pass = step.pass;
        result.flops = count(problem.op, signature, step.pass, conventions().front(), update);
        result.read = work.read;
        result.written = work.written;
        return result;
    } catch (const Error&) {
        return std::nullopt;  // imported, or stored by a release with other operators
    }
}

std::optional<Seconds> at_ceilings(const Run& run, const Device& device, std::size_t step) {
    const auto own = alone(run.steps[step], cost_of(run.settings.execution.numerics.optimizer));
    if (!own) {
        return std::nullopt;
    }
    const StepBound bound = bound_of(*own, Seconds{1}, device, arithmetic_of(run.settings));
    return bound.compute && bound.memory ? std::optional(std::max(*bound.compute, *bound.memory))
                                         : std::nullopt;
}

// Each member's time at the ceilings; empty if one is unknown.
std::vector<Seconds> times_at_ceilings(const Run& run, const Device& device,
                                       const std::vector<std::size_t>& members) {
    std::vector<Seconds> times;
    for (const std::size_t member : members) {
        const auto time = at_ceilings(run, device, member);
        if (!time) {
            return {};
        }
        times.push_back(*time);
    }
    return times;
}

}  // namespace

std::vector<FusedShare> fused_shares(const Run& run, const Summary& summary) {
    const Device* device = ceilings_of(run);
    std::vector<FusedShare> shares;
    if (device == nullptr) {
        return shares;
    }
    for (const auto& [within, members] : fused_steps(run)) {
        const auto& time = summary.steps[within].time;
        const auto weights = times_at_ceilings(run, *device, members);
        Seconds sum;
        for (const Seconds weight : weights) {
            sum += weight;
        }
        for (std::size_t i = 0; time && i < weights.size() && sum > Seconds{0}; ++i) {
            const double share = weights[i] / sum;
            shares.push_back({within, members[i], share, time->median * share});
        }
    }
    return shares;
}

}  // namespace strata
