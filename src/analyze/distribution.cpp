// SPDX-License-Identifier: MIT
#include "analyze/distribution.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace strata {

namespace {

constexpr std::size_t max_axis_values = 100;

using ValuesByPlace = std::map<std::pair<double, double>, std::vector<double>>;  // row, column

std::vector<double> axis_of(const ValuesByPlace& values, bool is_row) {
    std::vector<double> axis;
    for (const auto& [place, one] : values) {
        axis.push_back(is_row ? place.first : place.second);
    }
    std::ranges::sort(axis);
    axis.erase(std::ranges::unique(axis).begin(), axis.end());
    return axis;
}

void require_axis(const std::vector<double>& axis, std::string_view name) {
    if (axis.size() > max_axis_values) {
        throw Error(
            fmt::format("{} has {} values, but a map has room for {}: select fewer with --where",
                        printable(name), axis.size(), max_axis_values),
            ExitCode::usage);
    }
}

std::string group_name(std::string_view parameter, double value) {
    return fmt::format("{} {}", parameter, value);
}

double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum / static_cast<double>(values.size());
}

}  // namespace

double sorted_quantile(std::span<const double> sorted, double share) {
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

HeatMap heat_map(const Observations& all, std::span<const Observation* const> runs,
                 ObservedMetric metric, std::string_view columns, std::string_view rows) {
    ValuesByPlace values;
    for (const Observation* run : runs) {
        const auto column = parameter_of(*run, columns), row = parameter_of(*run, rows);
        const auto value = metric_of(all, *run, metric);
        if (column && row && value) {
            values[{*row, *column}].push_back(*value);
        }
    }
    HeatMap map{std::string(columns), std::string(rows), axis_of(values, false),
                axis_of(values, true)};
    if (values.empty()) {
        throw Error(fmt::format("no run has {}, {} and {}", printable(columns), printable(rows),
                                name_of(metric)),
                    ExitCode::usage);
    }
    require_axis(map.columns, columns);
    require_axis(map.rows, rows);
    for (const double row : map.rows) {
        auto& cells = map.cells.emplace_back();
        for (const double column : map.columns) {
            auto& cell = cells.emplace_back();
            if (const auto found = values.find({row, column}); found != values.end()) {
                std::ranges::sort(found->second);
                cell = HeatMapCell{found->second.size(), sorted_quantile(found->second, 0.5)};
            }
        }
    }
    return map;
}

std::vector<Box> boxes_of(const Observations& all, std::span<const Observation* const> runs,
                          ObservedMetric metric, std::string_view parameter) {
    std::map<std::pair<double, std::string>, std::vector<double>> groups;
    for (const Observation* run : runs) {
        const auto value = metric_of(all, *run, metric);
        const auto at = parameter.empty() ? std::optional(0.0) : parameter_of(*run, parameter);
        if (value && at) {
            groups[{*at, parameter.empty() ? run->backend : std::string()}].push_back(*value);
        }
    }
    std::vector<Box> boxes;
    for (auto& [group, values] : groups) {
        std::ranges::sort(values);
        Box& box = boxes.emplace_back();
        box.group = parameter.empty() ? group.second : group_name(parameter, group.first);
        box.value = parameter.empty() ? std::nullopt : std::optional(group.first);
        box.count = values.size();
        for (std::size_t i = 0; i < box_shares.size(); ++i) {
            box.percentiles[i] = sorted_quantile(values, box_shares[i]);
        }
    }
    return boxes;
}

std::optional<WorkCorrelation> work_correlation(std::span<const Observation* const> runs) {
    std::vector<double> work, time;
    for (const Observation* run : runs) {
        if (run->time && run->flops > Flops{}) {
            work.push_back(std::log(run->flops.value));
            time.push_back(std::log(run->time->median.value));
        }
    }
    if (work.size() < 4) {
        return {};
    }
    const double mean_work = mean_of(work), mean_time = mean_of(time);
    double xx = 0, xy = 0, yy = 0;
    for (std::size_t i = 0; i < work.size(); ++i) {
        const double x = work[i] - mean_work, y = time[i] - mean_time;
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    if (!(xx > 0 && yy > 0)) {
        return {};
    }
    const double r = std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
    constexpr double normal_95 = 1.959963984540054;
    const double half = normal_95 / std::sqrt(static_cast<double>(work.size()) - 3);
    const double z = std::atanh(r);
    return WorkCorrelation{work.size(), r, {std::tanh(z - half), std::tanh(z + half)}, xy / xx};
}

}  // namespace strata
