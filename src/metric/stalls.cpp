// SPDX-License-Identifier: MIT
#include "metric/stalls.h"

namespace strata {

namespace {

// What a category comes to when another part of it is added.
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
    categories.fill(NoValue{"no counter stands for it", Absence::not_on_chip});
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
