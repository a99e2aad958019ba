// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/gpu/profiling.h"

#include "backend/cuda/cupti/count_steps.h"
#include "backend/cuda/cupti/gpu_range_counter.h"
#include "backend/cuda/cupti/tracer.h"
#include "backend/cuda/engine.h"
#include "graph/network.h"
#include "metric/counting_cost.h"
#include "trace/budget.h"

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

// Every step in a range of its own.
Trace traced_steps(Executable& executable) {
    const auto calls = cuda::open_activity_calls();
    cuda::Tracer tracer(*calls);
    for (std::size_t i = 0; i < executable.steps().size(); ++i) {
        const Step& step = executable.steps()[i];
        const cuda::TracedRange range(tracer, Task{step.layer, step.pass});
        executable.run_step(i);
    }
    return tracer.finish();
}

// The first task that steps do and no span was attributed to. A step that gives a value another
// shape ("alias") does nothing on the device.
std::string task_without_spans(const Graph& graph, const Executable& executable,
                               const TraceBudget& budget) {
    std::set<std::pair<LayerId, Pass>> seen;
    for (const TaskSpans& task : budget.tasks) {
        seen.emplace(task.task.layer, task.task.pass);
    }
    for (const Step& step : executable.steps()) {
        const bool runs = step.refusal.empty() && step.implementation != "alias";
        if (runs && !seen.contains({step.layer, step.pass})) {
            return fmt::format("{} {} by {} has no kernel", graph.layers[step.layer].name,
                               name_of(step.pass), step.implementation);
        }
    }
    return {};
}

std::vector<Finding> attributed(const Graph& graph, Executable& executable) {
    const Trace trace = traced_steps(executable);
    const TraceBudget budget = budget_of(trace, attribute(trace), 0);
    const double unattributed = unattributed_share(budget).value_or(1);
    const auto milliseconds = [](Nanoseconds time) { return seconds_of(time).value * 1e3; };
    return {{"spans of a training step", static_cast<double>(trace.spans.size()), "spans",
             trace.spans.empty() ? "nothing was recorded" : ""},
            {"unattributed", unattributed * 100, "%",
             unattributed > 0.02 ? "more than 2 % belong to no layer" : ""},
            {"every task has a kernel", 0, "", task_without_spans(graph, executable, budget)},
            {"time of the layers", milliseconds(budget.attributed), "ms", ""},
            {"launch gaps, step by step", milliseconds(budget.gaps), "ms", ""},
            {"dropped records", static_cast<double>(budget.dropped), "records",
             budget.dropped > 0 ? "records were dropped" : ""},
            {"spans without stamps", static_cast<double>(budget.untimed), "spans",
             budget.untimed > 0 ? "spans have no believable stamps" : ""}};
}

double median_replay(Executable& executable) {
    std::vector<double> samples;
    for (int i = 0; i < 21; ++i) {
        samples.push_back(executable.run().value);
    }
    std::ranges::sort(samples);
    return samples[samples.size() / 2];
}

Finding tracing_cost(Executable& executable) {
    const double plain = median_replay(executable);
    const auto calls = cuda::open_activity_calls();
    cuda::Tracer tracer(*calls);
    const double traced = median_replay(executable);
    tracer.finish();
    return {"recording costs a replayed iteration", (traced / plain - 1) * 100, "%", ""};
}

// A metric's value in what was counted; nothing where it has none.
std::optional<double> value_of(const cuda::CountedStep& step, std::string_view name) {
    const auto found = std::ranges::find(step.metrics, name, [](const EvaluatedMetric& metric) {
        return std::string_view(metric.metric.name);
    });
    const auto* value = found == step.metrics.end() ? nullptr : std::get_if<double>(&found->value);
    return value == nullptr ? std::nullopt : std::optional(*value);
}

std::string first_reason(const cuda::CountedStep& step) {
    for (const EvaluatedMetric& metric : step.metrics) {
        if (const auto* missing = std::get_if<NoValue>(&metric.value)) {
            return missing->reason;
        }
    }
    return "it has no metrics";
}

// What the default sets say of one step.
std::vector<Finding> counted(const cuda::CountedStep& step) {
    std::vector<Finding> findings;
    for (const char* name : {"f32_operations", "dram_read", "dram_written", "l2_hit_rate"}) {
        if (const auto value = value_of(step, name)) {
            findings.push_back({fmt::format("{}: {}", step.step.signature, name), *value, "", ""});
        }
    }
    if (findings.empty()) {
        findings.push_back({step.step.signature, 0, "", first_reason(step)});
    }
    return findings;
}

double wall_of_steps(Executable& executable, const std::vector<cuda::DistinctStep>& steps) {
    const double begin = seconds_now();
    for (const cuda::DistinctStep& step : steps) {
        executable.run_step(step.steps.front());
    }
    return seconds_now() - begin;
}

std::vector<Finding> counted_steps(const cuda::CountingDevice& device) {
    const cuda::MetricHost host(device.chip, device.availability);
    const MetricPlan plan =
        plan_metrics(default_sets(metric_catalogue()), device.chip,
                     [&](std::string_view counter) { return host.missing(counter); });
    const cuda::CounterConfig config(device.chip, plan.counters, device.availability);
    const Graph graph = alexnet();
    const auto backend = cuda::make_backend();
    const auto executable = backend->prepare(graph, {.mode = Mode::inference});
    executable->run();
    const auto steps = cuda::distinct_steps(graph, executable->steps());
    const double once = wall_of_steps(*executable, steps);
    std::vector<Finding> findings = {
        {cost_sentence({plan.counters.size(), config.passes(), steps.size(), Seconds{once}}),
         static_cast<double>(config.passes()), "passes", ""}};
    const double begin = seconds_now();
    cuda::count_steps(
        *executable,
        {.steps = steps,
         .plan = &plan,
         .passes = config.passes(),
         .make_counter = [&] { return std::make_unique<cuda::GpuRangeCounter>(device, config, 1); },
         .is_known = [](const std::string&) { return false; },
         .keep =
             [&](const cuda::CountedStep& step) {
                 std::ranges::copy(counted(step), std::back_inserter(findings));
             }});
    findings.push_back({"counting, times the steps alone", (seconds_now() - begin) / once, "", ""});
    return findings;
}

}  // namespace

std::vector<Finding> check_trace() {
    const Graph graph = alexnet();
    const auto backend = cuda::make_backend();
    const auto executable = backend->prepare(graph, {});
    executable->run();
    try {
        std::vector<Finding> findings = attributed(graph, *executable);
        findings.push_back(tracing_cost(*executable));
        return findings;
    } catch (const cuda::ProfilerError& error) {
        return {{error.what(), 0, "", ""}};
    }
}

// That counters are denied is no failure: it must be said in a sentence, and is.
std::vector<Finding> check_counters() {
    try {
        return counted_steps(cuda::open_counting_device());
    } catch (const cuda::ProfilerError& error) {
        return {{error.what(), 0, "", ""}};
    }
}

}  // namespace strata::testing
