// SPDX-License-Identifier: MIT
#include "view/metrics.h"

#include "base/enumeration.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

bool lacks(const MetricCatalogue& catalogue, const std::string& chip, const Metric& metric) {
    return std::ranges::any_of(metric.formula.counters(), [&](const std::string& counter) {
        return gap_of(catalogue, chip, counter).has_value();
    });
}

// "Volta, GA10B": the architecture's name if all its chips lack the metric.
std::string missing_on(const MetricCatalogue& catalogue, const Metric& metric) {
    std::vector<std::string> names;
    for (const Architecture& architecture : catalogue.architectures) {
        std::vector<std::string> chips;
        std::ranges::copy_if(
            architecture.chips, std::back_inserter(chips),
            [&](const std::string& chip) { return lacks(catalogue, chip, metric); });
        if (chips.size() == architecture.chips.size()) {
            chips = {architecture.name};
        }
        names.insert(names.end(), chips.begin(), chips.end());
    }
    return join(names, ", ");
}

std::vector<Cell> row_of(const MetricCatalogue& catalogue, const MetricSet& set,
                         const Metric& metric) {
    return {set.name,
            std::string(name_of(set.collected)),
            metric.name,
            metric.unit,
            metric.meaning,
            missing_on(catalogue, metric),
            metric.stall ? std::string(name_of(*metric.stall)) : std::string(),
            metric.formula.text()};
}

}  // namespace

Document metrics_document(const MetricCatalogue& catalogue) {
    Table table{.records = "metrics"};
    table.columns = {{"set", "set", Importance::essential},
                     {"collected", "collected", Importance::normal},
                     {"metric", "metric", Importance::essential},
                     {"unit", "unit", Importance::essential},
                     {"meaning", "meaning", Importance::essential},
                     {"missing_on", "missing on", Importance::normal},
                     {"stall", "stall", Importance::normal},
                     {"formula", "formula", Importance::detail}};
    for (const MetricSet& set : catalogue.sets) {
        for (const Metric& metric : set.metrics) {
            table.rows.push_back(row_of(catalogue, set, metric));
        }
        for (const std::string& remark : set.remarks) {
            table.notes.push_back(fmt::format("{}: {}", set.name, remark));
        }
    }
    return {.title = "metrics", .blocks = {std::move(table)}, .kind = "list"};
}

}  // namespace strata
