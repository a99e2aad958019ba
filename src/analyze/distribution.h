// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/line_fit.h"
#include "analyze/observed.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Runs of one pair of values: how many, and the median of their metric over whatever else differs.
struct HeatMapCell {
    std::size_t count = 0;
    double median = 0;
};

// A metric over two hyperparameters, by values in ascending order.
struct HeatMap {
    std::string column_name;
    std::string row_name;
    std::vector<double> columns = {};
    std::vector<double> rows = {};
    std::vector<std::vector<std::optional<HeatMapCell>>> cells = {};  // by row, then column
};

// Runs without the metric or one of the two are left out. Throws Error with exit code usage where
// nothing is left, or a hyperparameter has more than 100 values.
HeatMap heat_map(const Observations& all, std::span<const Observation* const> runs,
                 ObservedMetric metric, std::string_view columns, std::string_view rows);

// The percentiles that ParaDnn's box plots show: whiskers, box and its line.
inline constexpr std::array box_shares = {0.02, 0.09, 0.50, 0.91, 0.98};

// How a metric is distributed among runs of one group.
struct Box {
    std::string group;                 // "paradnn:v100", "batch 512"
    std::optional<double> value = {};  // of the hyperparameter
    std::size_t count = 0;
    std::array<double, box_shares.size()> percentiles = {};
};

// Groups by a hyperparameter, in ascending order, or, where none is named, by backend.
std::vector<Box> boxes_of(const Observations& all, std::span<const Observation* const> runs,
                          ObservedMetric metric, std::string_view parameter);

// The value below which the share lies, linear between neighbours (definition 7 of Hyndman and Fan
// 1996). Requires: sorted and not empty, share in [0, 1].
double sorted_quantile(std::span<const double> sorted, double share);

// Whether runs with more work take longer: of the logarithms of both, Pearson's correlation with
// Fisher's interval and the slope, 1 where time is proportional to work.
struct WorkCorrelation {
    std::size_t count = 0;
    double correlation = 0;
    Interval interval = {};
    double slope = 0;
};
// Nothing for fewer than four runs with time and work, or where one of them is the same everywhere.
std::optional<WorkCorrelation> work_correlation(std::span<const Observation* const> runs);

}  // namespace strata
