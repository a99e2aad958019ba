// SPDX-License-Identifier: MIT
#include "run/lost_device.h"

#include "base/enumeration.h"
#include "base/text.h"
#include "run/steps.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

constexpr const char* flag_kind = "device-lost";

bool is_compute(const StepResult& step) {
    return step.kind == name_of(StepKind::compute);
}

}  // namespace

void end_by_failure(Run& run, const Graph& graph, const Execution& execution,
                    const StepFailure& failure) {
    const std::string& layer = graph.layers.at(failure.task().layer).name;
    const std::string where = fmt::format("{} {}", printable(layer), name_of(failure.task().pass));
    const auto steps =
        scheduled_steps(graph, execution, fmt::format("the device was lost when {} failed", where));
    run.steps = step_results(graph, execution, steps, {});
    std::vector<Omission> failed = execution.omissions;
    failed.push_back({layer, failure.task().pass, failure.what()});
    mark_omitted(failed, run);
    run.flags = {{flag_kind, fmt::format("{} made the device unusable ({}); repeating the command "
                                         "skips it and measures the rest.",
                                         where, failure.what())}};
    run.state = RunState::partial;
}

std::vector<Omission> omissions_of(const std::optional<Run>& earlier) {
    std::vector<Omission> omissions;
    if (!earlier || !lost_its_device(*earlier)) {
        return omissions;
    }
    for (const StepResult& step : earlier->steps) {
        if (const auto* failed = std::get_if<Failed>(&step.time); failed && is_compute(step)) {
            omissions.push_back({step.layer, step.pass, failed->reason});
        }
    }
    return omissions;
}

void mark_omitted(const std::vector<Omission>& omissions, Run& run) {
    for (const Omission& omission : omissions) {
        for (StepResult& step : run.steps) {
            if (step.layer == omission.layer && step.pass == omission.pass && is_compute(step)) {
                step.time = Failed{omission.reason};
            }
        }
    }
}

bool lost_its_device(const Run& run) {
    return std::ranges::find(run.flags, flag_kind, &Flag::kind) != run.flags.end();
}

}  // namespace strata
