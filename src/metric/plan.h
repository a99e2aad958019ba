// SPDX-License-Identifier: MIT
#pragma once

#include "metric/catalogue.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A metric and, where the chip lacks a counter of its formula, why it will have no value.
struct PlannedMetric {
    Metric metric = {};
    std::string set = {};
    std::optional<NoValue> gap = {};
};

// The counters to read on a chip.
struct MetricPlan {
    std::string chip = {};
    std::vector<PlannedMetric> metrics = {};
    std::vector<std::string> counters = {};  // all that metrics without a gap need, each once
};

// Why a counter does not exist; nothing where it does.
using CounterMissing = std::function<std::optional<std::string>(std::string_view counter)>;

// The metrics of these sets on a chip. `missing` is requested every counter: what the catalogue
// says, or the chip's own library.
MetricPlan plan_metrics(std::span<const MetricSet> sets, const std::string& chip,
                        const CounterMissing& missing);

// The sets that are counted unless others are requested.
std::vector<MetricSet> default_sets(const MetricCatalogue& catalogue);

// Sets by their names, each once, in the order of their first mention; "default" stands for the
// default sets, "all" for all there are. Throws Error with exit code usage and the nearest name.
std::vector<MetricSet> sets_named(const MetricCatalogue& catalogue,
                                  std::span<const std::string> names);

// A metric with what was counted.
struct EvaluatedMetric {
    Metric metric = {};
    MetricValue value = {};
};

// Every metric of the plan, in its order.
std::vector<EvaluatedMetric> evaluate(const MetricPlan& plan, const CounterValues& values);

// Every metric of the plan without a value for the same reason, except those that the chip lacks.
std::vector<EvaluatedMetric> metrics_without_values(const MetricPlan& plan,
                                                    const std::string& reason);

}  // namespace strata
