// SPDX-License-Identifier: MIT
#include "trace/timeline.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace strata {

namespace {

std::vector<std::size_t> timed_by_start(std::span<const Span> spans, std::uint32_t device) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (spans[i].device == device && is_timed(spans[i])) {
            order.push_back(i);
        }
    }
    std::ranges::stable_sort(
        order, {}, [&](std::size_t i) { return std::pair(spans[i].start, spans[i].end); });
    return order;
}

// Goes through the spans in order of their starts, keeping the latest end.
void sweep(std::span<const Span> spans, Timeline& timeline) {
    std::size_t latest = timeline.order.front();
    timeline.first = spans[latest].start;
    timeline.last = timeline.first;
    for (const std::size_t i : timeline.order) {
        const Span& span = spans[i];
        if (span.start > timeline.last) {
            timeline.gaps.push_back({span.start - timeline.last, latest, i});
            timeline.last = span.start;
        }
        const Nanoseconds added = std::max(span.end - timeline.last, Nanoseconds::zero());
        timeline.busy += added;
        timeline.overlap += duration_of(span) - added;
        if (span.end >= timeline.last) {
            timeline.last = span.end;
            latest = i;
        }
    }
}

}  // namespace

Timeline timeline_of(std::span<const Span> spans, std::uint32_t device) {
    Timeline timeline{.order = timed_by_start(spans, device)};
    timeline.untimed = static_cast<std::size_t>(std::ranges::count_if(
        spans, [&](const Span& span) { return span.device == device && !is_timed(span); }));
    if (!timeline.order.empty()) {
        sweep(spans, timeline);
    }
    return timeline;
}

std::vector<std::uint32_t> devices_of(std::span<const Span> spans) {
    std::set<std::uint32_t> devices;
    for (const Span& span : spans) {
        devices.insert(span.device);
    }
    return {devices.begin(), devices.end()};
}

}  // namespace strata
