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

// The cost of counting, known before it starts.
struct CountingCost {
    std::size_t counters = 0;
    std::size_t passes = 0;  // as planned for the chip: an iteration each
    std::size_t steps = 0;   // that are counted in each of them
    // Time of an iteration that nobody observes; nothing where it was not measured.
    std::optional<Seconds> iteration = {};
};

// "counting 36 counters of 24 steps takes 3 iterations, at least 41.4 ms (13.8 ms each
// unobserved)". What counting itself slows down comes on top.
std::string cost_sentence(const CountingCost& cost);

// By category, the sum of the metrics that are a part of it. A part that the chip has nothing of
// adds nothing; a part that could not be counted leaves the category without a value, and so does
// having no part at all.
std::array<MetricValue, 10> stalls_by_category(std::span<const EvaluatedMetric> metrics);

// The name of a category among a step's metrics: "stalls: memory_dependency".
std::string metric_of_stalls(std::string_view category);

}  // namespace strata
