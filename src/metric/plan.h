// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "metric/catalogue.h"

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A metric and, if the chip lacks a counter of its formula, why it will have no value.
struct PlannedMetric {
    Metric metric = {};
    std::string set = {};
    std::optional<NoValue> gap = {};
};

// The counters to read on a chip.
struct MetricPlan {
    std::string chip = {};
    std::vector<PlannedMetric> metrics = {};
    std::vector<std::string> counters = {};  // all that the available metrics need, each once
};

// Why a counter does not exist; nothing if it does.
using CounterMissing = std::function<std::optional<std::string>(std::string_view counter)>;

// The metrics of these sets on a chip. `missing` is called for every counter: it answers by the
// catalogue or the chip's own library.
MetricPlan plan_metrics(std::span<const MetricSet> sets, const std::string& chip,
                        const CounterMissing& missing);

// The sets that are counted by default.
std::vector<MetricSet> default_sets(const MetricCatalogue& catalogue);

// Sets by their names, each once, in the order of their first mention; "default" stands for the
// default sets, "all" for all sets. Throws Error with exit code usage and the nearest name.
std::vector<MetricSet> sets_named(const MetricCatalogue& catalogue,
                                  std::span<const std::string> names);

// A metric with its counted value.
struct EvaluatedMetric {
    Metric metric = {};
    MetricValue value = {};
};

// Every metric of the plan, in its order.
std::vector<EvaluatedMetric> evaluate(const MetricPlan& plan, const CounterValues& values);

// Every metric of the plan without a value for the same reason, except those that the chip lacks.
std::vector<EvaluatedMetric> metrics_without_values(const MetricPlan& plan,
                                                    const std::string& reason);

// The cost of counting, estimated before it starts.
struct CountingCost {
    std::size_t counters = 0;
    std::size_t passes = 0;  // as planned for the chip; each takes an iteration
    std::size_t steps = 0;   // counted in each pass
    // The time of an unobserved iteration; nothing if it was not measured.
    std::optional<Seconds> iteration = {};
};

// "counting 36 counters of 24 steps takes 3 iterations, at least 41.4 ms (13.8 ms each
// unobserved)". The slowdown by counting itself comes on top.
std::string cost_sentence(const CountingCost& cost);

// By category, the sum of its metrics. A metric that the chip lacks adds nothing; a metric that
// could not be counted leaves the category without a value, and so does a category without
// metrics.
std::array<MetricValue, 10> stalls_by_category(std::span<const EvaluatedMetric> metrics);

// The name of a category among a step's metrics: "stalls: memory_dependency".
std::string metric_of_stalls(std::string_view category);

}  // namespace strata
