// SPDX-License-Identifier: MIT
#include "analyze/sweep.h"

#include "analyze/budget.h"
#include "analyze/varied.h"
#include "record/completeness.h"

#include <algorithm>

namespace strata {

namespace {

// Why a run has no time; if nothing ran, the reason that all its steps share.
std::string reason_of(const Run& run) {
    const auto ran = [](const StepResult& step) {
        return !std::holds_alternative<Skipped>(step.time);
    };
    if (!run.steps.empty() && std::ranges::none_of(run.steps, ran)) {
        return std::get<Skipped>(run.steps.front().time).reason;
    }
    if (is_incomplete(run)) {
        return "incomplete: " + holes_text(run);
    }
    return run.state == RunState::partial ? "interrupted" : "not measured";
}

std::vector<const SweepPoint*> timed(const Sweep& sweep) {
    std::vector<const SweepPoint*> points;
    for (const SweepPoint& point : sweep.points) {
        if (point.time && point.time->low > Seconds{0}) {
            points.push_back(&point);
        }
    }
    return points;
}

// The hardware's rate and the framework's time from the fitted line.
void interpret(Extrapolation& found) {
    const LineFit& line = found.line;
    found.framework = Seconds{line.intercept};
    found.framework_interval = line.intercept_interval;
    found.misfit = misfit_of(line);
    if (found.misfit.empty() && line.intercept_interval.high < 0) {
        found.misfit =
            "its intercept is negative, because larger problems run at a lower rate than smaller "
            "ones";
    }
    if (line.slope > 0) {
        found.hardware = FlopRate{1 / line.slope};
    }
    if (line.slope_interval.low > 0) {
        found.hardware_interval = {1 / line.slope_interval.high, 1 / line.slope_interval.low};
    }
    if (line.slope > 0 && line.intercept > 0) {
        found.half_rate_work = Flops{line.intercept / line.slope};
    }
}

}  // namespace

SweepPoint point_of(const Run& run, std::int64_t value) {
    SweepPoint point{.value = value,
                     .run = &run,
                     .flops = flops_that_ran(run),
                     .time = end_to_end_of(run),
                     .reason = {}};
    point.reason = point.time ? "" : reason_of(run);
    return point;
}

Flops flops_that_ran(const Run& run) {
    Flops flops;
    for (const StepResult& step : run.steps) {
        flops += std::holds_alternative<Samples>(step.time) ? step.flops : Flops{};
    }
    return flops;
}

Throughput throughput_of(const SweepPoint& point) {
    const auto images = static_cast<double>(point.run->settings.batch);
    return {images / point.time->median.value, images / point.time->high.value,
            images / point.time->low.value};
}

std::optional<Sweep> sweep_of(std::span<const Run> runs) {
    const auto varied = runs.size() < 2 ? std::nullopt : varied_among(runs);
    if (!varied) {
        return std::nullopt;
    }
    Sweep sweep{varied->name, {}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        sweep.points.push_back(point_of(runs[i], varied->values[i]));
    }
    std::ranges::sort(sweep.points, {}, &SweepPoint::value);
    return sweep;
}

std::optional<Extrapolation> extrapolate(const Sweep& sweep) {
    Extrapolation found;
    std::vector<double> work, time;
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        if (sweep.points[i].time) {
            found.points.push_back(i);
            work.push_back(sweep.points[i].flops.value);
            time.push_back(sweep.points[i].time->median.value);
        }
    }
    const auto line = fit_line(work, time);
    if (!line) {
        return std::nullopt;
    }
    found.line = *line;
    interpret(found);
    return found;
}

std::optional<Saturation> saturation_of(std::span<const BatchPoint> points) {
    if (points.size() < 2) {
        return std::nullopt;
    }
    const auto median = [](const BatchPoint& point) { return point.throughput.median; };
    const BatchPoint& best = *std::ranges::max_element(points, {}, median);
    Saturation found{.best_batch = best.batch, .best = best.throughput};
    // The first point whose throughput reaches the share, or the last point.
    const auto first = [&](double Throughput::*of, double minimum) {
        const auto at = std::ranges::find_if(
            points, [&](const BatchPoint& point) { return point.throughput.*of >= minimum; });
        return at == points.end() ? points.back().batch : at->batch;
    };
    found.batch = first(&Throughput::median, saturated_share * found.best.median);
    found.reached = found.batch != points.back().batch;
    found.earliest = first(&Throughput::high, saturated_share * found.best.low);
    found.latest = first(&Throughput::low, saturated_share * found.best.high);
    return found;
}

std::optional<Saturation> saturation_of(const Sweep& sweep) {
    std::vector<BatchPoint> points;
    for (const SweepPoint* point : timed(sweep)) {
        points.push_back({point->value, throughput_of(*point)});
    }
    return sweep.over_batch() ? saturation_of(points) : std::nullopt;
}

}  // namespace strata
