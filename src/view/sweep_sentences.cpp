// SPDX-License-Identifier: MIT
#include "view/sweep.h"

#include "analyze/bottleneck.h"
#include "report/format.h"

#include <fmt/format.h>

namespace strata {

namespace {

std::string text(double value, const char* unit) {
    return number_text({.value = value, .unit = unit});
}

std::string between(double low, double high, const char* unit) {
    return fmt::format("{} to {}", text(low, unit), text(high, unit));
}

// "82 % of the f32 peak", where the ceilings are known.
std::string against_peak(const Run& run, FlopRate rate) {
    const auto device = ceilings_of(run);
    const auto peak = device ? peak_of(*device, run.settings.dtype) : std::nullopt;
    return peak ? fmt::format(", {:.0f} % of its {} peak", 100 * (rate / *peak), run.settings.dtype)
                : "";
}

std::string slope_sentence(const Sweep& sweep, const Extrapolation& found) {
    if (!found.hardware) {
        return "Slope: the time does not grow with the work, so it says nothing of the hardware.";
    }
    const std::string interval =
        found.hardware_interval
            ? between(found.hardware_interval->low, found.hardware_interval->high, "FLOP/s")
            : "the slope may be zero";
    return fmt::format("Slope, the hardware: what grows with the work runs at {} ({}){}.",
                       text(found.hardware->value, "FLOP/s"), interval,
                       against_peak(*sweep.points.back().run, *found.hardware));
}

std::string intercept_sentence(const Extrapolation& found) {
    const Interval& interval = found.framework_interval;
    const std::string range = between(interval.low, interval.high, "s");
    if (interval.contains(0)) {
        return fmt::format("Intercept, the framework: {} ({}), not to be told from none.",
                           text(found.framework.value, "s"), range);
    }
    if (found.framework < Seconds{0}) {
        return fmt::format(
            "Intercept: {} ({}) is negative, so larger problems run slower than "
            "smaller ones and the slope is no constant of the hardware.",
            text(found.framework.value, "s"), range);
    }
    return fmt::format(
        "Intercept, the framework: {} ({}) of every iteration do not depend on the "
        "work; half of the rate is reached at {}.",
        text(found.framework.value, "s"), range,
        text(found.half_rate_work.value_or(Flops{}).value, "FLOP"));
}

std::string quality_sentence(const Sweep& sweep, const Extrapolation& found) {
    const LineFit& line = found.line;
    const auto worst = sweep.points[found.points[line.worst_point]].value;
    if (!found.misfit.empty()) {
        return fmt::format(
            "A line does not describe the time: {} ({} {}; R² {:.4f}); slope and "
            "intercept are no constants here.",
            found.misfit, sweep.variable, worst, line.r_squared);
    }
    return fmt::format(
        "A line describes the {} points: R² {:.4f}, none more than {:.1f} % beside "
        "it ({} {}). Each weighs by its own time; intervals are 95 %.",
        found.points.size(), line.r_squared, 100 * line.worst, sweep.variable, worst);
}

void add_line(std::vector<std::string>& sentences, const Sweep& sweep) {
    const auto found = extrapolate(sweep);
    if (!found) {
        sentences.emplace_back(
            "Fewer than three points with a time and different work: too few "
            "for a line of time over work.");
        return;
    }
    sentences.push_back(quality_sentence(sweep, *found));
    sentences.push_back(slope_sentence(sweep, *found));
    sentences.push_back(intercept_sentence(*found));
}

std::string saturation_sentence(const Saturation& found) {
    const std::string range =
        found.earliest == found.latest
            ? "the intervals leave no other"
            : fmt::format("{} to {} within the intervals", found.earliest, found.latest);
    return fmt::format(
        "Saturation: batch {} is the smallest with {:.0f} % of the best throughput, "
        "{} images a second at batch {} ({}).{}",
        found.batch, 100 * saturated_share, text(found.best.median, ""), found.best_batch, range,
        found.still_growing ? " The best is the largest batch that ran, so it may still grow."
                            : "");
}

std::string capacity_sentence(const Capacity& capacity) {
    if (capacity.batch == 0) {
        return fmt::format(
            "Not even one image fits into the {} that are free (modelled, by "
            "liveness).",
            text(capacity.memory.value, "B"));
    }
    return fmt::format(
        "The largest batch that fits into the {} that are free is {} (modelled, by "
        "liveness, without the library's scratch memory).",
        text(capacity.memory.value, "B"), capacity.batch);
}

}  // namespace

std::vector<std::string> sweep_sentences(const Sweep& sweep,
                                         const std::optional<Capacity>& capacity) {
    std::vector<std::string> sentences;
    if (const auto saturation = saturation_of(sweep)) {
        sentences.push_back(saturation_sentence(*saturation));
    }
    if (capacity) {
        sentences.push_back(capacity_sentence(*capacity));
    }
    add_line(sentences, sweep);
    return sentences;
}

}  // namespace strata
