// SPDX-License-Identifier: MIT
#include "view/opaque_note.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace strata {

namespace {

// Layers are in the order of computation, so the root causes come first.
constexpr std::size_t reasons_shown = 2;

}  // namespace

std::string opaque_note(const Graph& graph) {
    std::size_t count = 0;
    std::size_t uncounted = 0;
    std::vector<std::string> reasons;
    std::unordered_set<std::string> known;
    for (const Layer& layer : graph.layers) {
        if (const auto* opaque = std::get_if<Opaque>(&layer.op)) {
            const std::string reason =
                fmt::format("{}: {}", opaque->foreign_type, printable(opaque->reason));
            if (known.insert(reason).second) {
                reasons.push_back(reason);
            }
            ++count;
            uncounted += opaque->is_counted ? 0 : 1;
        }
    }
    if (count == 0) {
        return {};
    }
    const std::size_t shown = std::min(reasons.size(), reasons_shown);
    const std::string missing =
        uncounted == 0
            ? ""
            : fmt::format("; the work of {} is unknown, so the totals are lower bounds",
                          uncounted == count ? "these" : fmt::format("{} of them", uncounted));
    return fmt::format("{} of {} layers cannot be computed here, and a run skips them{}: {}{}",
                       count, graph.layers.size(), missing,
                       join(std::span(reasons).first(shown), "; "),
                       shown < reasons.size() ? "; a run lists more" : "");
}

}  // namespace strata
