// SPDX-License-Identifier: MIT
#include "view/counter_tables.h"

#include "metric/plan.h"
#include "view/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace strata {

namespace {

// Lines of a table: counted steps, in the order of the filter, and how many do the same.
struct CountedLines {
    std::vector<std::size_t> steps = {};
    std::map<std::size_t, std::size_t> alike = {};

    bool any_stands_for_several() const {
        return std::ranges::any_of(alike, [](const auto& each) { return each.second > 1; });
    }
};

CountedLines lines_of(const Run& run, const StepFilter& filter) {
    CountedLines lines;
    for (const StepResult& step : run.steps) {
        if (step.counted_at) {
            ++lines.alike[*step.counted_at];
        }
    }
    for (const std::size_t i : wanted_steps(run, filter)) {
        const auto counted = run.steps[i].counted_at;
        if (counted && std::ranges::find(lines.steps, *counted) == lines.steps.end()) {
            lines.steps.push_back(*counted);
        }
    }
    return lines;
}

const MetricResult* find_metric(const StepResult& step, const std::string& name) {
    const auto found = std::ranges::find(step.metrics, name, &MetricResult::name);
    return found == step.metrics.end() ? nullptr : &*found;
}

Cell cell_of(const MetricResult* metric) {
    if (metric == nullptr) {
        return Missing{"not requested"};
    }
    return metric->value ? Cell(Number{.value = *metric->value,
                                       .unit = metric->unit,
                                       .provenance = Provenance::measured})
                         : Cell(Missing{metric->reason});
}

// A narrow terminal keeps hit rates, shares and the like, and the first amounts of a set.
Importance importance_of(const Metric& metric, std::size_t place) {
    constexpr std::size_t amounts = 2;
    return metric.unit == "%" || place < amounts ? Importance::normal : Importance::detail;
}

Table table_of(const Run& run, const CountedLines& lines, const std::string& title,
               const std::vector<Metric>& metrics, const std::vector<std::string>& remarks) {
    Table table{.title = "counters: " + title,
                .columns = {{"layer", "layer", Importance::essential},
                            {"pass", "pass", Importance::essential}}};
    const bool shared = lines.any_stands_for_several();
    if (shared) {
        table.columns.push_back({"alike", "alike", Importance::normal});
    }
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        table.columns.push_back({metrics[i].name, metrics[i].name, importance_of(metrics[i], i)});
    }
    for (const std::size_t line : lines.steps) {
        const StepResult& step = run.steps[line];
        auto& row =
            table.rows.emplace_back(std::vector<Cell>{step.layer, std::string(name_of(step.pass))});
        if (shared) {
            row.push_back(count_cell(static_cast<double>(lines.alike.at(line))));
        }
        for (const Metric& metric : metrics) {
            row.push_back(cell_of(find_metric(step, metric.name)));
        }
    }
    table.notes = remarks;
    return table;
}

std::vector<Metric> stall_categories() {
    std::vector<Metric> metrics;
    for (const std::string_view category : names_of(StallCategory{})) {
        metrics.push_back({.name = metric_of_stalls(category), .unit = "%"});
    }
    return metrics;
}

// The metrics that at least one step has.
std::vector<Metric> asked_for(const Run& run, std::span<const Metric> metrics) {
    std::vector<Metric> asked;
    std::ranges::copy_if(metrics, std::back_inserter(asked), [&](const Metric& metric) {
        return std::ranges::any_of(run.steps, [&](const StepResult& step) {
            return find_metric(step, metric.name) != nullptr;
        });
    });
    return asked;
}

}  // namespace

std::vector<Table> counter_tables(const Run& run, const MetricCatalogue& catalogue,
                                  const StepFilter& filter) {
    const CountedLines lines = lines_of(run, filter);
    std::vector<Table> tables;
    const auto add = [&](const std::string& title, std::span<const Metric> metrics,
                         const std::vector<std::string>& remarks) {
        if (const auto asked = asked_for(run, metrics); !asked.empty()) {
            tables.push_back(table_of(run, lines, title, asked, remarks));
        }
    };
    for (const MetricSet& set : catalogue.sets) {
        add(set.title, set.metrics, set.remarks);
    }
    add("Stalls by the categories of Dong et al.", stall_categories(), {});
    return tables;
}

}  // namespace strata
