// SPDX-License-Identifier: MIT
#include "trace/invocation.h"

#include "trace/timeline.h"

#include <map>
#include <string_view>

namespace strata {

std::vector<std::optional<std::uint32_t>> invocations_of(std::span<const Span> spans) {
    std::vector<std::optional<std::uint32_t>> invocations(spans.size());
    for (const std::uint32_t device : devices_of(spans)) {
        std::map<std::string_view, std::uint32_t> launched;
        for (const std::size_t i : timeline_of(spans, device).order) {
            if (spans[i].kind == SpanKind::kernel) {
                invocations[i] = ++launched[spans[i].name];
            }
        }
    }
    return invocations;
}

}  // namespace strata
