// SPDX-License-Identifier: MIT
#include "trace/iterations.h"

#include "trace/attribute.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

namespace strata {

namespace {

using Owner = std::optional<std::size_t>;  // an iteration's index; nothing: none

class Iterations {
public:
    Iterations(const Trace& trace, std::span<const std::uint64_t> iterations)
        : trace_(trace), ranges_(trace.ranges), iterations_(iterations) {
        for (const CallInRange& call : trace.calls) {
            range_of_call_.try_emplace(call.correlation, call.range);
        }
        for (const Span& span : trace.spans) {
            owners_.push_back(iteration_of_call(span.correlation));
        }
        find_runs_of_nodes();
    }

    std::vector<std::vector<std::size_t>> split() {
        const bool has_wrong_calls = !calls_agree();
        if (has_wrong_calls) {
            assign_by_recurrence();
        }
        const std::vector<std::optional<Nanoseconds>> begins = begins_of_iterations();
        std::vector<std::vector<std::size_t>> split(iterations_.size());
        for (std::size_t i = 0; i < owners_.size(); ++i) {
            const Span& span = trace_.spans[i];
            // A call known to be outside all iterations is not assigned to one by guessing.
            const bool may_guess = !range_of_call_.contains(span.correlation) ||
                                   (has_wrong_calls && span.graph_node != 0);
            const Owner owner = owners_[i] || !may_guess ? owners_[i] : iteration_at(span, begins);
            if (owner) {
                split[*owner].push_back(i);
            }
        }
        return split;
    }

    bool calls_agree() const {
        return std::ranges::all_of(runs_of_node_,
                                   [this](const auto& node) { return agrees(node.second); });
    }

private:
    // Spans, by index, in the order of their starts.
    using Runs = std::vector<std::size_t>;

    void find_runs_of_nodes() {
        for (std::size_t i = 0; i < trace_.spans.size(); ++i) {
            if (trace_.spans[i].graph_node != 0 && is_timed(trace_.spans[i])) {
                runs_of_node_[trace_.spans[i].graph_node].push_back(i);
            }
        }
        for (auto& [node, runs] : runs_of_node_) {
            replays_ = std::max(replays_, runs.size());
            std::ranges::stable_sort(runs, {},
                                     [&](std::size_t i) { return trace_.spans[i].start; });
        }
    }

    // The first run of a node within an iteration, if none of its records was dropped.
    std::optional<std::size_t> first_in_iterations(const Runs& runs) const {
        const bool is_known = runs.size() == replays_ && replays_ >= iterations_.size();
        return is_known ? std::optional(replays_ - iterations_.size()) : std::nullopt;
    }

    bool agrees(const Runs& runs) const {
        const auto first = first_in_iterations(runs);
        Owner before;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const Owner owner = owners_[runs[i]];
            if ((!owner && first && i >= *first) || (owner && before && *owner <= *before)) {
                return false;
            }
            before = owner ? owner : before;
        }
        return true;
    }

    // A node with dropped records ran less often than others and is assigned by the times of its
    // runs.
    void assign_by_recurrence() {
        if (replays_ < iterations_.size()) {
            return;
        }
        for (const auto& [node, runs] : runs_of_node_) {
            const auto first = first_in_iterations(runs);
            for (std::size_t i = 0; i < runs.size(); ++i) {
                owners_[runs[i]] = first && i >= *first ? Owner(i - *first) : std::nullopt;
            }
        }
    }

    std::vector<std::optional<Nanoseconds>> begins_of_iterations() const {
        std::vector<std::optional<Nanoseconds>> begins(iterations_.size());
        for (std::size_t i = 0; i < owners_.size(); ++i) {
            const Span& span = trace_.spans[i];
            if (owners_[i] && is_timed(span)) {
                auto& begin = begins[*owners_[i]];
                begin = begin ? std::min(*begin, span.start) : span.start;
            }
        }
        return begins;
    }

    Owner iteration_of_call(std::uint32_t correlation) const {
        const auto range = range_of_call_.find(correlation);
        for (std::size_t i = 0; range != range_of_call_.end() && i < iterations_.size(); ++i) {
            if (ranges_.encloses(iterations_[i], range->second)) {
                return i;
            }
        }
        return {};
    }

    static Owner iteration_at(const Span& span,
                              const std::vector<std::optional<Nanoseconds>>& begins) {
        Owner found;
        for (std::size_t i = 0; is_timed(span) && i < begins.size(); ++i) {
            found = begins[i] && *begins[i] <= span.start ? Owner(i) : found;
        }
        return found;
    }

    const Trace& trace_;
    RangeTree ranges_;
    std::span<const std::uint64_t> iterations_;
    std::unordered_map<std::uint32_t, std::uint64_t> range_of_call_;
    std::map<std::uint64_t, Runs> runs_of_node_;  // of the graph's nodes
    std::size_t replays_ = 0;                     // the maximum number of runs of a node
    std::vector<Owner> owners_;                   // of the spans
};

}  // namespace

std::vector<std::vector<std::size_t>> spans_by_iteration(
    const Trace& trace, std::span<const std::uint64_t> iterations) {
    return Iterations(trace, iterations).split();
}

bool calls_tell_launches_apart(const Trace& trace, std::span<const std::uint64_t> iterations) {
    return Iterations(trace, iterations).calls_agree();
}

}  // namespace strata
