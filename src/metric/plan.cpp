// SPDX-License-Identifier: MIT
#include "metric/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

std::optional<NoValue> gap_in(const Metric& metric, const std::string& chip,
                              const CounterMissing& missing) {
    for (const std::string& counter : metric.formula.counters()) {
        if (const auto reason = missing(counter)) {
            return NoValue{fmt::format("{} has no {}: {}", chip, counter, *reason),
                           Absence::not_on_chip};
        }
    }
    return {};
}

void add_counters(const Metric& metric, std::vector<std::string>& counters) {
    for (std::string& counter : metric.formula.counters()) {
        if (std::ranges::find(counters, counter) == counters.end()) {
            counters.push_back(std::move(counter));
        }
    }
}

}  // namespace

MetricPlan plan_metrics(std::span<const MetricSet> sets, const std::string& chip,
                        const CounterMissing& missing) {
    MetricPlan plan{.chip = chip};
    for (const MetricSet& set : sets) {
        for (const Metric& metric : set.metrics) {
            const auto gap = gap_in(metric, chip, missing);
            if (!gap) {
                add_counters(metric, plan.counters);
            }
            plan.metrics.push_back({.metric = metric, .set = set.name, .gap = gap});
        }
    }
    return plan;
}

std::vector<MetricSet> default_sets(const MetricCatalogue& catalogue) {
    std::vector<MetricSet> sets;
    std::ranges::copy_if(catalogue.sets, std::back_inserter(sets), [](const MetricSet& set) {
        return set.collected == Collected::by_default;
    });
    return sets;
}

std::vector<MetricSet> sets_named(const MetricCatalogue& catalogue,
                                  std::span<const std::string> names) {
    std::vector<MetricSet> sets;
    const auto add_once = [&](const MetricSet& set) {
        if (std::ranges::find(sets, set.name, &MetricSet::name) == sets.end()) {
            sets.push_back(set);
        }
    };
    for (const std::string& name : names) {
        if (name == "default") {
            std::ranges::for_each(default_sets(catalogue), add_once);
        } else if (name == "all") {
            std::ranges::for_each(catalogue.sets, add_once);
        } else {
            add_once(find_metric_set(catalogue, name));
        }
    }
    return sets;
}

std::vector<EvaluatedMetric> evaluate(const MetricPlan& plan, const CounterValues& values) {
    std::vector<EvaluatedMetric> evaluated;
    for (const PlannedMetric& planned : plan.metrics) {
        evaluated.push_back({planned.metric, planned.gap
                                                 ? MetricValue(*planned.gap)
                                                 : planned.metric.formula.evaluate(values)});
    }
    return evaluated;
}

std::vector<EvaluatedMetric> metrics_without_values(const MetricPlan& plan,
                                                    const std::string& reason) {
    CounterValues values;
    for (const std::string& counter : plan.counters) {
        values.emplace(counter, NoValue{reason});
    }
    return evaluate(plan, values);
}

std::string cost_sentence(const CountingCost& cost) {
    std::string sentence =
        fmt::format("counting {} counters of {} steps takes {} iteration{}", cost.counters,
                    cost.steps, cost.passes, cost.passes == 1 ? "" : "s");
    if (cost.iteration) {
        const double once = cost.iteration->value * 1e3;
        sentence += fmt::format(", at least {:.3g} ms ({:.3g} ms each unobserved)",
                                once * static_cast<double>(cost.passes), once);
    }
    return sentence;
}

namespace {

// The value of a category after another part is added.
MetricValue with_part(const MetricValue& sum, const MetricValue& part) {
    const auto* before = std::get_if<double>(&sum);
    const auto* added = std::get_if<double>(&part);
    if (before != nullptr && added != nullptr) {
        return *before + *added;
    }
    const auto& missing = std::get<NoValue>(before == nullptr ? sum : part);
    const bool is_decided = missing.absence == Absence::not_counted;
    return is_decided ? MetricValue(missing) : before == nullptr ? part : sum;
}

}  // namespace

std::array<MetricValue, 10> stalls_by_category(std::span<const EvaluatedMetric> metrics) {
    std::array<MetricValue, 10> categories;
    categories.fill(NoValue{"no counter covers it", Absence::not_on_chip});
    for (const EvaluatedMetric& metric : metrics) {
        if (const auto& stall = metric.metric.stall) {
            MetricValue& category = categories.at(static_cast<std::size_t>(*stall));
            category = with_part(category, metric.value);
        }
    }
    return categories;
}

std::string metric_of_stalls(std::string_view category) {
    return "stalls: " + std::string(category);
}

}  // namespace strata
