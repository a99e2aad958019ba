// SPDX-License-Identifier: MIT
#include "run/refusal.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "run/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>
#include <set>

namespace strata {

namespace {

Run refused_run(const Job& job, const Backend& backend, const Observer& observer,
                const std::string& reason) {
    Run run = planned_run(job, backend);
    run.steps = step_results(*job.plan, scheduled_steps(*job.plan, reason), {});
    run.state = RunState::complete;
    if (observer.begun) {
        observer.begun(run);
    }
    return run;
}

// Layers of one kind that cannot run, and the reason of the first.
struct DeviceLoss {
    std::size_t layers = 0;
    std::string reason;
};

// A refusal begins with its layer's kind, which is already printed.
std::string without_kind(const std::string& kind, const std::string& reason) {
    return reason.starts_with(kind + ": ") ? reason.substr(kind.size() + 2) : reason;
}

// "15 convolution (no bf16 here), 3 max_pooling (...) and 4 others", the most frequent first.
std::string text_of(const std::map<std::string, DeviceLoss>& lost) {
    constexpr std::size_t max_named = 3;
    std::vector<std::pair<std::string, DeviceLoss>> kinds(lost.begin(), lost.end());
    std::ranges::stable_sort(kinds, std::greater<>(),
                             [](const auto& kind) { return kind.second.layers; });
    std::vector<std::string> texts;
    std::size_t others = 0;
    for (const auto& [kind, of_kind] : kinds) {
        if (texts.size() < max_named) {
            texts.push_back(fmt::format("{} {} ({})", of_kind.layers, printable(kind),
                                        printable(without_kind(kind, of_kind.reason), 200)));
        } else {
            others += of_kind.layers;
        }
    }
    return join(texts, ", ") + (others > 0 ? fmt::format(" and {} others", others) : "");
}

bool is_compute(const StepResult& step) {
    return step.kind == StepKind::compute;
}

}  // namespace

void require_max_layers(const Graph& graph, std::span<const Step> steps) {
    std::set<LayerId> all;
    std::map<LayerId, std::string> lost;
    for (const Step& step : steps) {
        all.insert(step.layer);
        if (step.is_refused()) {
            lost.emplace(step.layer, step.refusal());
        }
    }
    if (2 * lost.size() <= all.size()) {
        return;
    }
    std::map<std::string, DeviceLoss> kinds;
    for (const auto& [layer, reason] : lost) {
        DeviceLoss& kind = kinds[kind_of(graph.layers[layer].op)];
        kind.reason = kind.layers++ == 0 ? reason : kind.reason;
    }
    throw Error(fmt::format("{}: {} of {} layers cannot run here: {}; --allow-incomplete measures "
                            "the rest",
                            printable(graph.name), lost.size(), all.size(), text_of(kinds)),
                ExitCode::machine_cannot);
}

Run execute_or_refuse(const Job& job, Backend& backend, const Observer& observer,
                      const std::optional<Run>& earlier) {
    try {
        return execute(job, backend, observer, earlier);
    } catch (const Error& error) {
        if (error.code() != ExitCode::machine_cannot) {
            throw;
        }
        return refused_run(job, backend, observer, error.what());
    } catch (const std::bad_alloc&) {
        return refused_run(job, backend, observer, "memory is exhausted");
    }
}

void end_by_failure(Run& run, const Job& job, const StepFailure& failure) {
    const std::string& layer = job.plan->graph.layers.at(failure.task().layer).name;
    const std::string where = fmt::format("{} {}", printable(layer), name_of(failure.task().pass));
    const auto steps =
        scheduled_steps(*job.plan, fmt::format("the device was lost when {} failed", where));
    run.steps = step_results(*job.plan, steps, {});
    run.whole = {};
    run.verified.reset();
    std::vector<Omission> failed = job.execution.scheduling.omissions;
    failed.push_back({layer, failure.task().pass, failure.what()});
    mark_omitted(failed, run);
    run.flags = {{DoubtKind::device_lost,
                  fmt::format("{} made the device unusable ({}); repeating the command "
                              "skips it and measures the rest.",
                              where, failure.what())}};
    run.state = RunState::partial;
}

void end_by_loss(Run& run, const std::string& sentence) {
    run.flags.push_back(
        {DoubtKind::device_lost,
         fmt::format("The device became unusable ({}); repeating the command keeps what was "
                     "measured and continues.",
                     sentence)});
    run.state = RunState::partial;
}

std::vector<Omission> omissions_of(const std::optional<Run>& earlier) {
    std::vector<Omission> omissions;
    if (!earlier || !lost_its_device(*earlier)) {
        return omissions;
    }
    for (const StepResult& step : earlier->steps) {
        const auto* failed = std::get_if<Failed>(&step.time);
        if (failed && is_compute(step) && !step.verified) {
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
    return std::ranges::find(run.flags, DoubtKind::device_lost, &Flag::kind) != run.flags.end();
}

std::string sentence_on_rest(std::size_t left, std::size_t all) {
    return left == 0
               ? "a device was lost before its run was complete; the same command continues it"
               : fmt::format(
                     "the device was lost, and this process cannot use it any more: {} of {} runs "
                     "{} not measured; the same command continues",
                     left, all, left == 1 ? "was" : "were");
}

}  // namespace strata
