// SPDX-License-Identifier: MIT
#include "record/step_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace strata {

namespace {

constexpr double tolerated_share = 0.01;  // of all samples

auto signature_of(const StepResult& step) {
    return std::tie(step.operation, step.pass, step.kind, step.problem, step.implementation,
                    step.algorithm, step.layout);
}

// Undisturbed samples of all steps, grouped by work, for the steps that lack their own.
class Pool {
public:
    Pool(const Run& run, const std::vector<std::optional<Estimate>>& times) {
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (is_inconclusive(times[i])) {
                pools_.try_emplace(signature_of(run.steps[i]));
            }
        }
        for (const StepResult& step : run.steps) {
            const auto* samples = std::get_if<Samples>(&step.time);
            const auto pool = pools_.find(signature_of(step));
            if (samples != nullptr && pool != pools_.end()) {
                const auto clean = clean_values(*samples);
                pool->second.insert(pool->second.end(), clean.begin(), clean.end());
            }
        }
    }

    // Nothing if even all together are too few.
    std::optional<Estimate> time_of(const StepResult& step) const {
        const std::vector<Seconds>& clean = pools_.at(signature_of(step));
        return clean.size() < min_samples_for_interval ? std::nullopt
                                                       : std::optional(estimate(clean));
    }

private:
    std::map<decltype(signature_of(std::declval<const StepResult&>())), std::vector<Seconds>>
        pools_;
};

// The summary of the samples of a run's steps.
struct Tally {
    std::size_t samples = 0;
    std::size_t disturbed = 0;
    std::size_t pooled_steps = 0;
    std::size_t inconclusive_steps = 0;
};

Tally tally_of(const Run& run) {
    Tally tally;
    const auto times = step_times(run);
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (times[i]) {
            tally.samples += std::get<Samples>(run.steps[i].time).values.size();
            tally.disturbed += times[i]->disturbed;
            tally.pooled_steps += times[i]->use == SampleUse::pooled ? 1U : 0U;
            tally.inconclusive_steps += is_inconclusive(times[i]) ? 1U : 0U;
        }
    }
    return tally;
}

std::string steps(std::size_t count) {
    return fmt::format("{} step{}", count, count == 1 ? "" : "s");
}

}  // namespace

std::vector<std::optional<Estimate>> step_times(const Run& run) {
    std::vector<std::optional<Estimate>> times;
    for (const StepResult& step : run.steps) {
        const auto* samples = std::get_if<Samples>(&step.time);
        times.push_back(samples != nullptr && !samples->values.empty()
                            ? std::optional(estimate(*samples))
                            : std::nullopt);
    }
    const Pool pool(run, times);
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (!is_inconclusive(times[i])) {
            continue;
        }
        if (auto pooled = pool.time_of(run.steps[i])) {
            pooled->disturbed = times[i]->disturbed;
            pooled->use = SampleUse::pooled;
            times[i] = *pooled;
        }
    }
    return times;
}

std::optional<Doubt> disturbance_doubt(const Run& run) {
    const Tally tally = tally_of(run);
    const double share = tally.samples == 0 ? 0
                                            : static_cast<double>(tally.disturbed) /
                                                  static_cast<double>(tally.samples);
    if (share <= tolerated_share && tally.inconclusive_steps == 0) {
        return {};
    }
    std::string sentence =
        fmt::format("other programs delayed {} of {} samples of the steps, which are left out",
                    tally.disturbed, tally.samples);
    if (tally.pooled_steps > 0) {
        sentence += fmt::format("; {} {} the samples of equal steps", steps(tally.pooled_steps),
                                tally.pooled_steps == 1 ? "takes" : "take");
    }
    if (tally.inconclusive_steps > 0) {
        sentence += fmt::format("; {} {} too few others, so {} and nothing is concluded from {}",
                                steps(tally.inconclusive_steps),
                                tally.inconclusive_steps == 1 ? "has" : "have",
                                tally.inconclusive_steps == 1 ? "its time includes the delays"
                                                              : "their times include the delays",
                                tally.inconclusive_steps == 1 ? "it" : "them");
    }
    return Doubt{DoubtKind::disturbed,
                 sentence + "; measure again while the machine has nothing else to do"};
}

}  // namespace strata
