// SPDX-License-Identifier: MIT
#include "import/counters.h"

#include <algorithm>
#include <set>

namespace strata {

void add_counters(RecordedCounters& sum, const RecordedCounters& other) {
    std::erase_if(sum, [](const auto& counter) { return !counter.first.ends_with(".sum"); });
    for (const auto& [name, counter] : other) {
        if (const auto found = sum.find(name); found != sum.end()) {
            found->second.value += counter.value;
        }
    }
    std::erase_if(sum, [&](const auto& counter) { return !other.contains(counter.first); });
}

std::vector<MetricResult> metrics_of(const RecordedCounters& counters,
                                     const MetricCatalogue& catalogue) {
    CounterValues values;
    for (const auto& [name, counter] : counters) {
        values.emplace(name, counter.value);
    }
    std::vector<MetricResult> all;
    std::set<std::string> used;
    for (const MetricSet& set : catalogue.sets) {
        for (const Metric& metric : set.metrics) {
            const auto needed = metric.formula.counters();
            const bool has_all = std::ranges::all_of(
                needed, [&](const std::string& name) { return values.contains(name); });
            const MetricValue value = has_all ? metric.formula.evaluate(values) : NoValue{};
            if (const double* number = std::get_if<double>(&value)) {
                all.push_back({.name = metric.name, .unit = metric.unit, .value = *number});
                used.insert(needed.begin(), needed.end());
            }
        }
    }
    for (const auto& [name, counter] : counters) {
        if (!used.contains(name)) {
            all.push_back({.name = name, .unit = counter.unit, .value = counter.value});
        }
    }
    return all;
}

}  // namespace strata
