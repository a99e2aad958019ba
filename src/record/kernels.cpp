// SPDX-License-Identifier: MIT
#include "record/kernels.h"

#include "base/error.h"
#include "trace/invocation.h"
#include "trace/kernel_name.h"

#include <algorithm>
#include <set>

namespace strata {

namespace {

TrackedKernel tracked(const Span& span, const Attribution& attribution, const Graph& graph) {
    TrackedKernel kernel{
        .name = bare_kernel_name(span.name), .launch = span.launch, .time = duration_of(span)};
    kernel.key.full_name = span.name;
    if (attribution.task) {
        kernel.layer = graph.layers.at(attribution.task->layer).name;
        kernel.pass = attribution.task->pass;
    }
    return kernel;
}

std::vector<std::size_t> kernels_by_start(
    std::span<const Span> spans, std::span<const std::optional<std::uint32_t>> invocations) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (invocations[i]) {
            order.push_back(i);
        }
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return spans[i].start; });
    return order;
}

}  // namespace

std::vector<TrackedKernel> tracked_kernels(const Trace& trace,
                                           std::span<const Attribution> attributions,
                                           const Graph& graph, const std::string& device,
                                           std::int64_t batch) {
    check(attributions.size() == trace.spans.size(), "every span of a trace has an attribution");
    const auto invocations = invocations_of(trace.spans);
    std::vector<TrackedKernel> kernels;
    for (const std::size_t i : kernels_by_start(trace.spans, invocations)) {
        TrackedKernel& kernel =
            kernels.emplace_back(tracked(trace.spans[i], attributions[i], graph));
        kernel.key.device = device;
        kernel.key.batch = batch;
        kernel.key.invocation = *invocations[i];
    }
    return kernels;
}

std::optional<KernelKey> repeated_key(const KernelSet& set) {
    std::set<KernelKey> keys;
    for (const TrackedKernel& kernel : set.kernels) {
        if (!keys.insert(kernel.key).second) {
            return kernel.key;
        }
    }
    return {};
}

}  // namespace strata
