// SPDX-License-Identifier: MIT
#include "record/trace_result.h"

#include "trace/iterations.h"
#include "trace/timeline.h"

#include <algorithm>

namespace strata {

namespace {

// One iteration of a trace: its spans and their attributions.
struct TracedIteration {
    std::vector<Span> spans = {};
    std::vector<Attribution> attributions = {};
    Timeline timeline = {};

    Nanoseconds window() const { return timeline.last - timeline.first; }
};

std::uint32_t device_of(std::span<const Span> spans) {
    return spans.empty() ? 0 : spans.front().device;
}

TracedIteration iteration_of(const Trace& trace, std::span<const Attribution> attributions,
                             std::span<const std::size_t> chosen) {
    TracedIteration iteration;
    for (const std::size_t i : chosen) {
        iteration.spans.push_back(trace.spans[i]);
        iteration.attributions.push_back(attributions[i]);
    }
    iteration.timeline = timeline_of(iteration.spans, device_of(iteration.spans));
    return iteration;
}

std::vector<TracedIteration> iterations_of(const Trace& trace,
                                           std::span<const std::uint64_t> ranges) {
    const auto attributions = attribute(trace);
    std::vector<TracedIteration> iterations;
    for (const auto& chosen : spans_by_iteration(trace, ranges)) {
        iterations.push_back(iteration_of(trace, attributions, chosen));
    }
    std::erase_if(iterations,
                  [](const TracedIteration& one) { return one.timeline.order.empty(); });
    return iterations;
}

// Indices by start; spans without plausible stamps last.
std::vector<std::size_t> kept_order(const TracedIteration& iteration) {
    std::vector<std::size_t> order = iteration.timeline.order;
    for (std::size_t i = 0; i < iteration.spans.size(); ++i) {
        if (!is_timed(iteration.spans[i])) {
            order.push_back(i);
        }
    }
    return order;
}

TracedSpan kept(const TracedIteration& iteration, std::size_t index, const Graph& graph) {
    const Attribution& attribution = iteration.attributions[index];
    TracedSpan kept{.span = iteration.spans[index], .evidence = attribution.evidence};
    if (attribution.task) {
        kept.layer = graph.layers.at(attribution.task->layer).name;
        kept.pass = attribution.task->pass;
    }
    return kept;
}

const TracedIteration& median_of(std::vector<TracedIteration>& iterations) {
    const auto middle =
        iterations.begin() + static_cast<std::ptrdiff_t>((iterations.size() - 1) / 2);
    std::ranges::nth_element(iterations, middle, {}, &TracedIteration::window);
    return *middle;
}

}  // namespace

std::optional<TraceResult> trace_result(const Trace& trace,
                                        std::span<const std::uint64_t> iterations, Samples recorded,
                                        const Graph& graph, const std::string& device) {
    std::vector<TracedIteration> all = iterations_of(trace, iterations);
    if (all.empty()) {
        return {};
    }
    TraceResult result{.device = device, .recorded = std::move(recorded), .dropped = trace.dropped};
    for (const TracedIteration& one : all) {
        result.windows.values.push_back(seconds_of(one.window()));
    }
    const TracedIteration& median = median_of(all);
    for (const std::size_t index : kept_order(median)) {
        result.spans.push_back(kept(median, index, graph));
    }
    return result;
}

NamedBudget budget_of(const TraceResult& result) {
    NamedBudget named;
    Trace trace{.dropped = result.dropped};
    std::vector<Attribution> attributions;
    for (const TracedSpan& one : result.spans) {
        trace.spans.push_back(one.span);
        Attribution& attribution = attributions.emplace_back();
        attribution.evidence = one.evidence;
        if (one.pass) {
            const auto found = std::ranges::find(named.layers, one.layer);
            attribution.task = {static_cast<LayerId>(found - named.layers.begin()), *one.pass};
            if (found == named.layers.end()) {
                named.layers.push_back(one.layer);
            }
        }
    }
    named.budget = budget_of(trace, attributions, device_of(trace.spans));
    return named;
}

}  // namespace strata
