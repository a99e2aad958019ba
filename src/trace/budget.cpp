// SPDX-License-Identifier: MIT
#include "trace/budget.h"

#include "base/error.h"

#include <algorithm>

namespace strata {

namespace {

class Accounts {
public:
    Accounts(const Trace& trace, std::span<const Attribution> attributions)
        : trace_(trace), attributions_(attributions) {}

    void add_span(std::size_t index) {
        const Attribution& attribution = attributions_[index];
        const Nanoseconds time = duration_of(trace_.spans[index]);
        if (attribution.task) {
            TaskSpans& task = account_of(*attribution.task);
            ++task.spans;
            task.time += time;
            budget.attributed += time;
        } else {
            ++budget.unattributed_spans[attribution.evidence];
            budget.unattributed += time;
        }
    }

    void add_untimed(std::size_t index) {
        if (const auto& task = attributions_[index].task) {
            TaskSpans& account = account_of(*task);
            ++account.spans;
            ++account.untimed;
        }
    }

    void add_gap(const LaunchGap& gap) {
        budget.gaps += gap.length;
        if (const auto& task = attributions_[gap.after].task) {
            account_of(*task).waited += gap.length;
        }
    }

    TraceBudget budget;

private:
    TaskSpans& account_of(const Task& task) {
        const std::pair key(task.layer, task.pass);
        const auto [place, is_new] = index_of_.try_emplace(key, budget.tasks.size());
        if (is_new) {
            budget.tasks.push_back({.task = task});
        }
        return budget.tasks[place->second];
    }

    const Trace& trace_;
    std::span<const Attribution> attributions_;
    std::map<std::pair<LayerId, Pass>, std::size_t> index_of_;
};

void add_untimed_spans(const Trace& trace, std::uint32_t device, Accounts& accounts) {
    for (std::size_t i = 0; i < trace.spans.size(); ++i) {
        if (trace.spans[i].device == device && !is_timed(trace.spans[i])) {
            accounts.add_untimed(i);
        }
    }
}

}  // namespace

TraceBudget budget_of(const Trace& trace, std::span<const Attribution> attributions,
                      std::uint32_t device) {
    check(attributions.size() == trace.spans.size(), "every span of a trace has an attribution");
    const Timeline timeline = timeline_of(trace.spans, device);
    Accounts accounts(trace, attributions);
    for (const std::size_t index : timeline.order) {
        accounts.add_span(index);
    }
    for (const LaunchGap& gap : timeline.gaps) {
        accounts.add_gap(gap);
    }
    add_untimed_spans(trace, device, accounts);
    TraceBudget budget = std::move(accounts.budget);
    budget.overlap = timeline.overlap;
    budget.window = timeline.last - timeline.first;
    budget.untimed = timeline.untimed;
    budget.dropped = trace.dropped;
    return budget;
}

std::optional<double> unattributed_share(const TraceBudget& budget) {
    const Nanoseconds all = budget.attributed + budget.unattributed;
    if (all <= Nanoseconds::zero()) {
        return {};
    }
    return static_cast<double>(budget.unattributed.count()) / static_cast<double>(all.count());
}

}  // namespace strata
