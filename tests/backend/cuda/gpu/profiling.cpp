// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/gpu/profiling.h"

#include "backend/cuda/cupti/count_steps.h"
#include "backend/cuda/cupti/gpu_range_counter.h"
#include "backend/cuda/engine.h"
#include "metric/counting_cost.h"
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

// The counted value of a metric; nothing if it has none.
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

// The values of the default sets for one step.
std::vector<Finding> counted(const CountedStep& step) {
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

double wall_of_steps(Executable& executable, const std::vector<DistinctStep>& steps) {
    const double begin = seconds_now();
    for (const DistinctStep& step : steps) {
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
    const auto executable = backend->prepare(graph, {.numerics = {.mode = Mode::inference}});
    executable->run();
    const auto steps = distinct_steps(graph, executable->steps());
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
         .is_known = [](const DistinctStep&) { return false; },
         .keep =
             [&](const CountedStep& step) {
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
        return traced(graph, *executable);
    } catch (const cuda::ProfilerError& error) {
        return {{error.what(), 0, "", ""}};
    }
}

// Denied counters are not a failure: it is enough that a sentence says so.
std::vector<Finding> check_counters() {
    try {
        return counted_steps(cuda::open_counting_device());
    } catch (const cuda::ProfilerError& error) {
        return {{error.what(), 0, "", ""}};
    }
}

}  // namespace strata::testing
