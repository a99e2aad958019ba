// SPDX-License-Identifier: MIT
#include "trace/iterations.h"

#include "trace/range_tree.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace strata {

namespace {

class Iterations {
public:
    Iterations(const Trace& trace, std::span<const std::uint64_t> iterations)
        : trace_(trace), ranges_(trace.ranges), iterations_(iterations) {
        for (const CallInRange& call : trace.calls) {
            range_of_call_.try_emplace(call.correlation, call.range);
        }
    }

    std::vector<std::vector<std::size_t>> split() {
        std::vector<std::optional<std::size_t>> owners;
        std::vector<std::optional<Nanoseconds>> begins(iterations_.size());
        for (const Span& span : trace_.spans) {
            owners.push_back(iteration_of_call(span.correlation));
            if (owners.back() && is_timed(span)) {
                auto& begin = begins[*owners.back()];
                begin = begin ? std::min(*begin, span.start) : span.start;
            }
        }
        std::vector<std::vector<std::size_t>> split(iterations_.size());
        for (std::size_t i = 0; i < owners.size(); ++i) {
            const auto owner = owners[i] ? owners[i] : iteration_at(trace_.spans[i], begins);
            if (owner) {
                split[*owner].push_back(i);
            }
        }
        return split;
    }

private:
    std::optional<std::size_t> iteration_of_call(std::uint32_t correlation) const {
        const auto range = range_of_call_.find(correlation);
        for (std::size_t i = 0; range != range_of_call_.end() && i < iterations_.size(); ++i) {
            if (ranges_.encloses(iterations_[i], range->second)) {
                return i;
            }
        }
        return {};
    }

    std::optional<std::size_t> iteration_at(
        const Span& span, const std::vector<std::optional<Nanoseconds>>& begins) const {
        std::optional<std::size_t> found;
        // A call known to be outside all iterations is not assigned to one by guessing.
        for (std::size_t i = 0;
             is_timed(span) && !range_of_call_.contains(span.correlation) && i < begins.size();
             ++i) {
            found = begins[i] && *begins[i] <= span.start ? std::optional(i) : found;
        }
        return found;
    }

    const Trace& trace_;
    RangeTree ranges_;
    std::span<const std::uint64_t> iterations_;
    std::unordered_map<std::uint32_t, std::uint64_t> range_of_call_;
};

}  // namespace

std::vector<std::vector<std::size_t>> spans_by_iteration(
    const Trace& trace, std::span<const std::uint64_t> iterations) {
    return Iterations(trace, iterations).split();
}

}  // namespace strata
