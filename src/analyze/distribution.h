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

// Runs of one pair of values: their number, and the median of their metric over everything else.
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

// Runs without the metric or one of the two are left out. Throws Error with exit code usage if
// nothing is left or a hyperparameter has more than 100 values.
HeatMap heat_map(const Observations& all, std::span<const Observation* const> runs,
                 ObservedMetric metric, std::string_view columns, std::string_view rows);

// The percentiles of ParaDnn's box plots: whiskers, box and median line.
inline constexpr std::array box_shares = {0.02, 0.09, 0.50, 0.91, 0.98};

// The distribution of a metric among runs of one group.
struct Box {
    std::string group;                 // "paradnn:v100", "batch 512"
    std::optional<double> value = {};  // value of the hyperparameter
    std::size_t count = 0;
    std::array<double, box_shares.size()> percentiles = {};
};

// Groups by a hyperparameter, in ascending order, or by backend if none is named.
std::vector<Box> boxes_of(const Observations& all, std::span<const Observation* const> runs,
                          ObservedMetric metric, std::string_view parameter);

// The quantile, linear between neighbours (definition 7 of Hyndman and Fan 1996). Requires: sorted
// and not empty, share in [0, 1].
double sorted_quantile(std::span<const double> sorted, double share);

// Whether runs with more work take longer: Pearson's correlation of the logarithms of both with
// Fisher's interval, and the slope, which is 1 if time is proportional to work.
struct WorkCorrelation {
    std::size_t count = 0;
    double correlation = 0;
    Interval interval = {};
    double slope = 0;
};
// Nothing for fewer than four runs with time and work, or if one of them never varies.
std::optional<WorkCorrelation> work_correlation(std::span<const Observation* const> runs);

}  // namespace strata
