// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/gpu/profiling.h"

#include "backend/cuda/cupti/trouble.h"
#include "backend/cuda/engine.h"
#include "backend/profiling.h"
#include "metric/plan.h"
#include "networks/network.h"
#include "record/trace_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

namespace strata::testing {

namespace {

Graph alexnet() {
    return load_network({.network = "alexnet", .batch = 16, .dims = {}, .variables = {}});
}

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// The first task with steps but without attributed spans. A step that only gives a value another
// shape ("alias") does nothing on the device.
std::string task_without_spans(const Graph& graph, const Executable& executable,
                               const TraceResult& result) {
    std::set<std::pair<std::string, Pass>> seen;
    for (const TracedSpan& traced : result.spans) {
        if (traced.pass) {
            seen.emplace(traced.layer, *traced.pass);
        }
    }
    for (const Step& step : executable.steps()) {
        const bool runs = step.runs() && step.implementation != "alias";
        if (runs && !seen.contains({graph.layers[step.layer].name, step.pass})) {
            return fmt::format("{} {} by {} has no kernel", graph.layers[step.layer].name,
                               name_of(step.pass), step.implementation);
        }
    }
    return {};
}

double median_of(std::vector<Seconds> samples) {
    std::ranges::sort(samples);
    return samples[samples.size() / 2].value;
}

double median_replay(Executable& executable) {
    std::vector<Seconds> samples;
    for (int i = 0; i < 21; ++i) {
        samples.push_back(executable.run());
    }
    return median_of(std::move(samples));
}

// Findings about the kept iteration of a recording; its kernels were launched by a graph.
std::vector<Finding> attributed(const Graph& graph, const Executable& executable,
                                const TraceResult& result) {
    const TraceBudget budget = budget_of(result).budget;
    const double unattributed = unattributed_share(budget).value_or(1);
    const auto milliseconds = [](Nanoseconds time) { return seconds_of(time).value * 1e3; };
    return {{"spans of a training step", static_cast<double>(result.spans.size()), "spans", ""},
            {"unattributed", unattributed * 100, "%",
             unattributed > 0.02 ? "more than 2 % belong to no layer" : ""},
            {"every task has a kernel", 0, "", task_without_spans(graph, executable, result)},
            {"time of the layers", milliseconds(budget.attributed), "ms", ""},
            {"launch gaps", milliseconds(budget.gaps), "ms", ""},
            {"first start to last end", milliseconds(budget.window), "ms", ""},
            {"dropped records", static_cast<double>(budget.dropped), "records",
             budget.dropped > 0 ? "records were dropped" : ""},
            {"spans without stamps", static_cast<double>(budget.untimed), "spans",
             budget.untimed > 0 ? "spans have no believable stamps" : ""}};
}

std::vector<Finding> traced(const Graph& graph, Executable& executable) {
    constexpr std::size_t iterations = 11;
    const double plain = median_replay(executable);
    Recording recording = executable.profiling()->record(iterations);
    const double cost = median_of(recording.times) / plain - 1;
    const auto result = trace_result(recording.trace, recording.iterations, {recording.times},
                                     graph, recording.device);
    if (!result) {
        return {{"trace", 0, "", "nothing was recorded"}};
    }
    std::vector<Finding> findings = attributed(graph, executable, *result);
    findings.push_back({"iterations told apart", static_cast<double>(result->windows.values.size()),
                        "", result->windows.values.size() == iterations ? "" : "some were lost"});
    findings.push_back({"recording costs an iteration", cost * 100, "%", ""});
    return findings;
}

// The counted value of a metric; empty if it has none.
std::optional<double> value_of(const CountedStep& step, std::string_view name) {
    const auto found = std::ranges::find(step.metrics, name, [](const EvaluatedMetric& metric) {
        return std::string_view(metric.metric.name);
    });
    const auto* value = found == step.metrics.end() ? nullptr : std::get_if<double>(&found->value);
    return value == nullptr ? std::nullopt : std::optional(*value);
}

std::string first_reason(const CountedStep& step) {
    for (const EvaluatedMetric& metric : step.metrics) {
        if (const auto* missing = std::get_if<NoValue>(&metric.value)) {
            return missing->reason;
        }
    }
    return "it has no metrics";
}

// The results of the default sets for one step.
std::vector<Finding> counted(const std::string& name, const CountedStep& step) {
    std::vector<Finding> findings;
    for (const char* metric : {"f32_operations", "dram_read", "dram_written", "l2_hit_rate"}) {
        if (const auto value = value_of(step, metric)) {
            findings.push_back({fmt::format("{}: {}", name, metric), *value, "", ""});
        }
    }
    if (findings.empty()) {
        findings.push_back({name, 0, "", first_reason(step)});
    }
    return findings;
}

}  // namespace

// Denied counters are not a failure if a sentence says so.
std::vector<Finding> check_counters() {
    const Graph graph = alexnet();
    const auto backend = cuda::make_backend();
    const auto executable = backend->prepare(graph, {.numerics = {.mode = Mode::inference}});
    const double once = median_replay(*executable);
    CountingCost cost{.iteration = Seconds{once}};
    std::vector<Finding> findings;
    const double begin = seconds_now();
    executable->profiling()->count(
        {.sets = default_sets(metric_catalogue()),
         .announce =
             [&](const CountingPlan& plan) {
                 cost.counters = plan.counters;
                 cost.passes = plan.passes;
                 cost.steps = plan.steps.size();
                 if (!plan.refusal.empty()) {
                     findings.push_back({plan.refusal, 0, "", ""});
                 }
             },
         .is_known = [](std::size_t) { return false; },
         .is_stopped = [] { return false; },
         .keep =
             [&](const CountedStep& counted_step) {
                 const Step& step = executable->steps()[counted_step.step];
                 const std::string name =
                     fmt::format("{} {}", graph.layers[step.layer].name, name_of(step.pass));
                 std::ranges::copy(counted(name, counted_step), std::back_inserter(findings));
             }});
    if (cost.passes > 0) {
        findings.push_back({cost_sentence(cost), static_cast<double>(cost.passes), "passes", ""});
        findings.push_back({"counting, times the iterations alone",
                            (seconds_now() - begin) / (once * static_cast<double>(cost.passes)), "",
                            ""});
    }
    return findings;
}

std::vector<Finding> check_trace() {
    const Graph graph = alexnet();
    const auto backend = cuda::make_backend();
    const auto executable = backend->prepare(graph, {});
    executable->run();
    try {
        return traced(graph, *executable);
    } catch (const cuda::ProfilerError& error) {
        return {{error.what(), 0, "", ""}};
    }
}

}  // namespace strata::testing
