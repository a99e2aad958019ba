// SPDX-License-Identifier: MIT
#include "view/sweep.h"

#include "analyze/bottleneck.h"
#include "report/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

// "98.8 GFLOP/s (97.4 to 100)", all in one scale.
std::string within(double value, const Interval& interval, const char* unit) {
    const Scale scale = scale_for(unit, value);
    const auto scaled = [&](double one) {
        return number_text({.value = one, .unit = unit}, scale);
    };
    return fmt::format("{} {} ({} to {})", scaled(value), scale.unit, scaled(interval.low),
                       scaled(interval.high));
}

// "batch 16".
std::string at(const Sweep& sweep, std::int64_t value) {
    return fmt::format("{} {}", sweep.variable, number_text(static_cast<double>(value), ""));
}

// ", 82 % of its f32 peak", if the ceilings are known and the convention matches theirs.
std::string against_peak(const Sweep& sweep, FlopRate rate) {
    const Run& run = *sweep.points.back().run;
    const auto device = ceilings_of(run);
    const std::string arithmetic = arithmetic_of(run.settings);
    const auto peak = device ? peak_of(*device, arithmetic) : std::nullopt;
    return peak && sweep.convention == conventions().front().name
               ? fmt::format(", {:.0f} % of its {} peak", 100 * (rate / *peak), arithmetic)
               : "";
}

std::string slope_sentence(const Sweep& sweep, const Extrapolation& found) {
    const Interval& interval = found.line.slope_interval;
    const std::string slope =
        within(1e9 * found.line.slope, {1e9 * interval.low, 1e9 * interval.high}, "s");
    if (!found.hardware_interval) {
        return fmt::format(
            "Slope (hardware): {} per GFLOP, which cannot be distinguished from zero: the growth "
            "with work is lost in the scatter.",
            slope);
    }
    return fmt::format("Slope (hardware): {} per GFLOP, so work runs at {}{}.", slope,
                       within(found.hardware->value, *found.hardware_interval, "FLOP/s"),
                       against_peak(sweep, *found.hardware));
}

std::string intercept_sentence(const Extrapolation& found) {
    const std::string intercept =
        within(found.framework.value, found.framework_interval, "s") + " per iteration";
    if (found.framework_interval.contains(0)) {
        return fmt::format("Intercept (framework): {}, which cannot be distinguished from zero.",
                           intercept);
    }
    return fmt::format(
        "Intercept (framework): {}, whatever the work; half of the hardware's rate is reached at "
        "{}.",
        intercept, number_text(found.half_rate_work.value_or(Flops{}).value, "FLOP"));
}

std::string quality_sentence(const Sweep& sweep, const Extrapolation& found) {
    const LineFit& line = found.line;
    const auto worst = sweep.points[found.points[line.worst_point]].value;
    if (!found.misfit.empty()) {
        return fmt::format(
            "Time = intercept + slope x work does not hold here: {} (the worst is {}; R² {:.4f}). "
            "So neither the slope (hardware) nor the intercept (framework) is reported; see where "
            "the points leave the line, and vary a narrower range.",
            found.misfit, at(sweep, worst), line.r_squared);
    }
    return fmt::format(
        "Time = intercept + slope x work holds for the {} points: R² {:.4f}, and no point is more "
        "than {} off the line ({}). Points are weighted by 1 / time²; intervals are 95 %.",
        found.points.size(), line.r_squared, number_text(std::max(0.1, 100 * line.worst), "%"),
        at(sweep, worst));
}

double half_width_of(const SweepPoint& point) {
    return point.time ? std::max(point.time->high.value - point.time->median.value,
                                 point.time->median.value - point.time->low.value) /
                            point.time->median.value
                      : 0;
}

// Warns of imprecise points: a line through them says little, whether it fits or not.
void add_roughest(std::vector<std::string>& sentences, const Sweep& sweep) {
    const SweepPoint& roughest = *std::ranges::max_element(sweep.points, {}, half_width_of);
    const double share = half_width_of(roughest);
    if (share > worst_that_fits) {
        sentences.push_back(fmt::format(
            "The times are imprecise: at {} the interval is ± {:.0f} %; repeat on a quiet machine "
            "or with a longer --max-time before relying on the following.",
            at(sweep, roughest.value), 100 * share));
    }
}

void add_line(std::vector<std::string>& sentences, const Sweep& sweep) {
    const auto found = extrapolate(sweep);
    if (!found) {
        sentences.emplace_back(
            "Fewer than three timed points with different work: too few to fit a line of time over "
            "work.");
        return;
    }
    sentences.push_back(quality_sentence(sweep, *found));
    if (found->misfit.empty()) {
        sentences.push_back(slope_sentence(sweep, *found));
        sentences.push_back(intercept_sentence(*found));
    }
}

const SweepPoint& point_at(const Sweep& sweep, std::int64_t value) {
    return *std::ranges::find(sweep.points, value, &SweepPoint::value);
}

std::string saturation_sentence(const Sweep& sweep, const Saturation& found) {
    const std::string best = fmt::format("{} per second at {}", number_text(found.best.median, ""),
                                         at(sweep, found.best_batch));
    if (!found.reached) {
        return fmt::format(
            "Saturation: not reached; throughput still grows at the largest batch that ran: {}.",
            best);
    }
    const std::string range =
        found.earliest == found.latest
            ? ""
            : fmt::format(" (within the intervals {} to {})", found.earliest, found.latest);
    return fmt::format(
        "Saturation: {}{} is the smallest with {:.0f} % of the best throughput, {}; an iteration "
        "then takes {}.",
        at(sweep, found.batch), range, 100 * saturated_share, best,
        number_text(point_at(sweep, found.batch).time->median.value, "s"));
}

std::string memory_of(const Capacity& capacity) {
    constexpr std::array whose = {" of free memory", " given by --memory",
                                  " of free device memory"};
    return number_text(capacity.memory.value, "B") +
           whose[static_cast<std::size_t>(capacity.source)];
}

std::string capacity_sentence(const Capacity& capacity) {
    const std::string batch = number_text(static_cast<double>(capacity.largest.batch), "");
    const std::string needs = number_text(capacity.largest.needs.value, "B");
    const std::string memory = memory_of(capacity);
    constexpr auto modelled = "modelled by liveness, without the library's scratch memory";
    if (capacity.largest.batch == 0) {
        return fmt::format(
            "Largest batch: not even one example fits: it needs {}, and there are {} ({}).", needs,
            memory, modelled);
    }
    switch (capacity.largest.limit) {
        case BatchLimit::memory:
            return fmt::format("Largest batch: {} is the largest that fits in {} ({}).", batch,
                               memory, modelled);
        case BatchLimit::network:
            return fmt::format(
                "Largest batch: {}, limited by the network and not by memory: it needs {} out of "
                "{} ({}), but the next larger batch is rejected: {}.",
                batch, needs, memory, modelled, capacity.refusal);
        case BatchLimit::none:
            return fmt::format(
                "Largest batch: no limit found: even {}, the end of the search, needs only {} out "
                "of {} ({}).",
                batch, needs, memory, modelled);
    }
    return {};
}

}  // namespace

std::string sweep_lead(const Sweep& sweep) {
    if (const auto saturation = saturation_of(sweep)) {
        const std::string best =
            fmt::format("{} per second", number_text(saturation->best.median, ""));
        return saturation->reached
                   ? fmt::format(
                         "Beyond {0} a larger batch hardly pays off: {0} already has {1:.0f} % of "
                         "the "
                         "best throughput, {2} at {3}.",
                         at(sweep, saturation->batch), 100 * saturated_share, best,
                         at(sweep, saturation->best_batch))
                   : fmt::format("Throughput grows up to {}, the largest that ran: {}.",
                                 at(sweep, saturation->best_batch), best);
    }
    const auto line = extrapolate(sweep);
    if (line && line->misfit.empty() && line->hardware_interval) {
        return fmt::format("Work runs at {}, plus {} per iteration.",
                           number_text(line->hardware->value, "FLOP/s"),
                           number_text(line->framework.value, "s"));
    }
    return fmt::format("No single number describes how time depends on {}: see the points.",
                       sweep.variable);
}

std::vector<std::string> sweep_sentences(const Sweep& sweep,
                                         const std::optional<Capacity>& capacity) {
    std::vector<std::string> sentences;
    add_roughest(sentences, sweep);
    if (const auto saturation = saturation_of(sweep)) {
        sentences.push_back(saturation_sentence(sweep, *saturation));
    }
    if (capacity) {
        sentences.push_back(capacity_sentence(*capacity));
    }
    add_line(sentences, sweep);
    return sentences;
}

}  // namespace strata
