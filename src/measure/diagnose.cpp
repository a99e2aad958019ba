// SPDX-License-Identifier: MIT
#include "measure/diagnose.h"

#include "measure/modes.h"
#include "measure/series.h"
#include "measure/statistics.h"
#include "measure/stopping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace strata {
namespace {

constexpr double one_percent_two_sided = 2.576;  // deviations
constexpr double min_drift = 0.01;
constexpr double min_mode_gap = 0.02;
constexpr double min_mode_share = 0.05;
constexpr double min_worth = 1.0 / 3;
constexpr double tolerated_slowness = 0.15;
constexpr std::size_t min_calibrations = 10;
constexpr double tolerated_steal = 0.01;
constexpr double tolerated_preemptions = 20;  // per second
constexpr double tolerated_throttling = 0.01;

// "0.5 %", "12 %", "320 %".
std::string percent_text(double share) {
    return share < 0.1 ? fmt::format("{:.2g} %", 100 * share)
                       : fmt::format("{:.0f} %", 100 * share);
}

std::optional<Doubt> imprecise(const SampledIteration& sampled, const Policy& policy) {
    if (sampled.reason != StopReason::budget) {
        return {};
    }
    const double precision = precision_of(sampled);
    const std::size_t count = sampled.end_to_end.values.size();
    if (std::isinf(precision)) {
        return Doubt{DoubtKind::imprecise,
                     fmt::format("{} in {} s, too few to tell how precise the median is; allow "
                                 "more time with --max-time",
                                 count == 1 ? "only 1 sample fits"
                                            : fmt::format("only {} samples fit", count),
                                 policy.max_time.value)};
    }
    return Doubt{DoubtKind::imprecise,
                 fmt::format("after {} samples the median is only precise to ± {}, not the "
                             "requested ± {}; quiet the machine or allow more time with --max-time",
                             count, percent_text(precision), percent_text(policy.precision))};
}

std::optional<Doubt> drift(const std::vector<Seconds>& times, const Policy& policy) {
    const Trend trend = trend_of(times);
    const double minimum = std::max(min_drift, policy.precision);
    if (std::abs(trend.deviations) < one_percent_two_sided || std::abs(trend.change) < minimum) {
        return {};
    }
    return Doubt{DoubtKind::drift,
                 fmt::format("the time {} by {:.1f} % between the first sample and the last; "
                             "warm up longer (--warmup) or let the clock settle",
                             trend.change > 0 ? "rises" : "falls", 100 * std::abs(trend.change))};
}

std::optional<Doubt> bimodal(const std::vector<Seconds>& times) {
    const Modes modes = modes_of(times);
    const double minority = std::min(modes.upper_share, 1 - modes.upper_share);
    if (!modes.significant || minority < min_mode_share ||
        modes.upper - modes.lower < min_mode_gap * modes.lower) {
        return {};
    }
    return Doubt{DoubtKind::bimodal,
                 fmt::format("iterations fall into two groups: {:.0f} % take {:.4g} ms, "
                             "{:.0f} % take {:.4g} ms; the median represents neither",
                             100 * (1 - modes.upper_share), 1e3 * modes.lower.value,
                             100 * modes.upper_share, 1e3 * modes.upper.value)};
}

std::optional<Doubt> autocorrelated(const std::vector<Seconds>& times) {
    const auto count = static_cast<double>(times.size());
    const double worth = effective_samples(times);
    if (worth >= min_worth * count) {
        return {};
    }
    return Doubt{
        DoubtKind::autocorrelated,
        fmt::format(
            "consecutive samples are correlated: {} samples are worth only {:.0f} independent "
            "ones; the machine's speed changes slowly, so measure longer (--min-time)",
            times.size(), worth)};
}

// What a disturbance of the processors does to a device's times; empty if they compute themselves.
std::string_view on_launches(TimedWork work) {
    return work == TimedWork::launches ? ", and the GPU may have waited for launches" : "";
}

std::optional<Doubt> noisy_neighbour(const std::vector<Seconds>& calibration, TimedWork work) {
    if (calibration.size() < min_calibrations) {
        return {};
    }
    const double slowness = quantile(calibration, 0.9) / quantile(calibration, 0.1) - 1;
    if (slowness < tolerated_slowness) {
        return {};
    }
    return Doubt{DoubtKind::noisy_neighbour,
                 fmt::format("fixed work took {:.0f} % longer in slow moments than in fast ones; "
                             "other processes use this machine, or its clock changes{}",
                             100 * slowness, on_launches(work))};
}

std::optional<Doubt> stolen(const ActivityChange& activity, TimedWork) {
    if (activity.stolen_share.value_or(0) <= tolerated_steal) {
        return {};
    }
    return Doubt{DoubtKind::steal,
                 fmt::format("the hypervisor gave {:.1f} % of the processors' time to "
                             "other guests; use a dedicated machine",
                             100 * *activity.stolen_share)};
}

std::optional<Doubt> preempted(const ActivityChange& activity, TimedWork work) {
    if (activity.preemptions_per_second.value_or(0) <= tolerated_preemptions) {
        return {};
    }
    return Doubt{DoubtKind::preempted,
                 fmt::format("other processes interrupted this one {:.0f} times a second; {}",
                             *activity.preemptions_per_second,
                             work == TimedWork::launches
                                 ? "stop them, because the GPU may have waited for launches"
                                 : "stop them or use fewer threads")};
}

std::optional<Doubt> throttled(const ActivityChange& activity, TimedWork) {
    const Seconds stopped = activity.throttled.value_or(Seconds{});
    if (stopped <= tolerated_throttling * activity.elapsed) {
        return {};
    }
    return Doubt{DoubtKind::throttled,
                 fmt::format("the control group's CPU quota throttled this process for {:.2f} s of "
                             "{:.2f} s; raise the quota or use fewer threads",
                             stopped.value, activity.elapsed.value)};
}

std::optional<Doubt> paging(const ActivityChange& activity, TimedWork) {
    if (activity.major_faults.value_or(0) == 0) {
        return {};
    }
    return Doubt{
        DoubtKind::paging,
        fmt::format("{} page{} read from disk while sampling; use a smaller batch or free "
                    "memory",
                    *activity.major_faults, *activity.major_faults == 1 ? " was" : "s were")};
}

}  // namespace

std::vector<Doubt> diagnose(const SampledIteration& sampled, const Policy& policy,
                            const ActivityChange& activity, TimedWork work) {
    const auto clean = clean_values(sampled.end_to_end);
    const auto& all = sampled.end_to_end.values;
    const auto& times = are_enough(clean.size(), all.size()) ? clean : all;
    std::vector<Doubt> doubts;
    const auto add = [&](const std::optional<Doubt>& doubt) {
        if (doubt) {
            doubts.push_back(*doubt);
        }
        return doubt.has_value();
    };
    add(imprecise(sampled, policy));
    if (!times.empty()) {
        const bool drifts = add(drift(times, policy));
        add(bimodal(times));
        if (!drifts) {
            add(autocorrelated(times));
        }
    }
    if (work == TimedWork::device) {
        return doubts;
    }
    add(noisy_neighbour(sampled.calibration.values, work));
    for (const auto search : {stolen, preempted, throttled, paging}) {
        add(search(activity, work));
    }
    return doubts;
}

std::vector<Doubt> diagnose(const Circumstances& circumstances) {
    std::vector<Doubt> doubts;
    const int processors = circumstances.processors;
    if (circumstances.threads > processors) {
        doubts.push_back({DoubtKind::oversubscribed,
                          fmt::format("{} threads share {} processor{} and wait for each "
                                      "other; use --threads {} or fewer",
                                      circumstances.threads, processors, processors == 1 ? "" : "s",
                                      processors)});
    }
    if (circumstances.is_shared) {
        doubts.push_back({DoubtKind::shared_machine,
                          "another strata was measuring on this machine at the same time; measure "
                          "again without --no-wait"});
    }
    return doubts;
}

}  // namespace strata
