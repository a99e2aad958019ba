// SPDX-License-Identifier: MIT
#include "record/kernels.h"

#include "trace/kernel_name.h"

#include <algorithm>
#include <set>

namespace strata {

namespace {

TrackedKernel tracked(const TracedSpan& traced) {
    return {.key = {.full_name = traced.span.name},
            .name = bare_kernel_name(traced.span.name),
            .layer = traced.layer,
            .pass = traced.pass,
            .launch = traced.span.launch,
            .time = duration_of(traced.span)};
}

}  // namespace

std::vector<TrackedKernel> tracked_kernels(const TraceResult& trace, std::int64_t batch) {
    std::vector<Span> spans;
    std::ranges::transform(trace.spans, std::back_inserter(spans), &TracedSpan::span);
    const auto invocations = invocations_of(spans);
    std::vector<TrackedKernel> kernels;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (invocations[i]) {
            TrackedKernel& kernel = kernels.emplace_back(tracked(trace.spans[i]));
            kernel.key.device = trace.device;
            kernel.key.batch = batch;
            kernel.key.invocation = *invocations[i];
        }
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
