// SPDX-License-Identifier: MIT
#include "view/sweep.h"

#include "view/cells.h"

#include <fmt/format.h>

namespace strata {

namespace {

std::string name_of(const Sweep& sweep, const SweepPoint& point) {
    return fmt::format("{} {}", sweep.variable, point.value);
}

// The origin of its points: "measured", "modelled".
std::string origin_of(const Sweep& sweep) {
    return std::string(strata::name_of(sweep.points.front().run->origin));
}

// A point with the interval of its y, if it has one.
XyChart::Point point_of(const Sweep& sweep, const SweepPoint& point, double x, double y,
                        const Interval& interval) {
    XyChart::Point drawn{.name = name_of(sweep, point), .x = x, .y = y};
    if (has_interval(*point.time)) {
        drawn.low = interval.low;
        drawn.high = interval.high;
    }
    return drawn;
}

XyChart throughput_chart(const Sweep& sweep) {
    XyChart chart{.title = "Throughput by batch",
                  .x = {.key = "batch", .title = "batch", .scale = AxisScale::logarithmic},
                  .y = {.key = "throughput_per_s", .title = "throughput", .unit = "1/s"},
                  .series = {{.name = origin_of(sweep), .mark = Mark::joined}}};
    for (const SweepPoint& point : sweep.points) {
        if (point.time && point.time->low > Seconds{0}) {
            const Throughput examples = throughput_of(point);
            chart.x.ticks.push_back(static_cast<double>(point.value));
            chart.series[0].points.push_back(
                point_of(sweep, point, static_cast<double>(point.value), examples.median,
                         {examples.low, examples.high}));
        }
    }
    return chart;
}

XyChart::Series measured_times(const Sweep& sweep) {
    XyChart::Series series{.name = origin_of(sweep), .mark = Mark::points};
    for (const SweepPoint& point : sweep.points) {
        if (point.time) {
            series.points.push_back(point_of(sweep, point, point.flops.value,
                                             point.time->median.value,
                                             {point.time->low.value, point.time->high.value}));
        }
    }
    return series;
}

// From the intercept, at no work, to the largest work.
XyChart::Series line_of(const Extrapolation& found, double maximum) {
    return {.name = "the line: intercept + slope x work",
            .mark = Mark::line,
            .points = {{"intercept", 0, found.framework.value, found.framework_interval.low,
                        found.framework_interval.high},
                       {"the line", maximum, found.framework.value + found.line.slope * maximum}}};
}

XyChart time_chart(const Sweep& sweep, const std::optional<Extrapolation>& found) {
    XyChart chart{.title = "Time over work",
                  .x = {.key = "flops", .title = "work", .unit = "FLOP"},
                  .y = {.key = "time_s", .title = "time", .unit = "s"},
                  .series = {measured_times(sweep)}};
    if (found && found->misfit.empty()) {
        double maximum = 0;
        for (const auto& point : chart.series[0].points) {
            maximum = std::max(maximum, point.x);
        }
        chart.series.push_back(line_of(*found, maximum));
    }
    return chart;
}

}  // namespace

std::vector<Block> sweep_charts(const Sweep& sweep) {
    std::vector<Block> charts;
    if (saturation_of(sweep)) {
        charts.emplace_back(throughput_chart(sweep));
    }
    if (const auto found = extrapolate(sweep)) {
        charts.emplace_back(time_chart(sweep, found));
    }
    return charts;
}

}  // namespace strata
