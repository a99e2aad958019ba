// SPDX-License-Identifier: MIT
#include "view/device.h"

#include "base/text.h"
#include "view/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

constexpr double min_change = 0.0005;  // smaller changes round to 0.0 %

// How a ceiling changed, in words.
std::string finding_on(const std::vector<Remeasured>& all, const std::string& ceiling) {
    const auto found = std::ranges::find(all, ceiling, &Remeasured::ceiling);
    if (found == all.end()) {
        return all.empty() ? "" : "new";
    }
    if (!found->now) {
        return "kept: not measured this time";
    }
    const bool is_time = ceiling == "launch";
    const double gain = is_time ? found->before / *found->now - 1 : *found->now / found->before - 1;
    if (std::abs(gain) < min_change) {
        return "the same";
    }
    const std::string change = fmt::format("{:.1f} % {}", 100 * std::abs(gain),
                                           (gain > 0) == is_time ? "lower" : "higher");
    return gain > 0 ? "better: " + change : fmt::format("kept: {} this time", change);
}

template <class Q>
std::vector<Cell> row_of(const BestOfBoth& best, const std::string& ceiling, const Fact<Q>& fact,
                         const char* unit, Cell capacity) {
    const Number value{.value = fact.value.value, .unit = unit};
    return {ceiling,
            value,
            Number{.value = value.value},
            value.unit,
            std::move(capacity),
            finding_on(best.remeasured, ceiling),
            fact.source,
            flag_cell(fact.is_doubtful),
            count_cell(best.device.threads),
            best.device.model};
}

// People see the findings only if there was an earlier value to compare with.
Table ceilings_table(const BestOfBoth& best) {
    Table table{.columns = device_columns(), .records = "ceilings"};
    if (best.remeasured.empty()) {
        const auto finding = std::ranges::find(table.columns, "finding", &Column::key);
        finding->audience = Audience::data;
    }
    for (const auto& compute : best.device.compute) {
        table.rows.push_back(
            row_of(best, compute.dtype + " peak", compute.peak, "FLOP/s", Missing{}));
    }
    for (const auto& level : best.device.memory) {
        table.rows.push_back(
            row_of(best, level.name + " bandwidth", level.bandwidth, "B/s",
                   optional_cell(level.capacity, [](Bytes bytes) { return bytes_cell(bytes); })));
    }
    if (const auto& launch = best.device.launch) {
        table.rows.push_back(row_of(best, "launch", *launch, "s", Missing{}));
    }
    return table;
}

}  // namespace

std::vector<Column> device_columns() {
    return {{"ceiling", "ceiling", Importance::essential},
            people_column("at_most", "at most"),
            data_column("value"),
            data_column("unit"),
            {"capacity_bytes", "capacity", Importance::normal},
            {"finding", "against before", Importance::essential},
            {"source", "source", Importance::normal},
            data_column("doubtful"),
            data_column("threads"),
            data_column("device")};
}

Document device_document(const BestOfBoth& best) {
    const Device& device = best.device;
    Table table = ceilings_table(best);
    if (const auto doubtful = doubtful_ceilings(device); !doubtful.empty()) {
        table.notes.push_back(fmt::format(
            "Doubtful: the best values of {} did not repeat within {:.0f} %, because the machine "
            "was disturbed; the true values are higher. Calibrate again on an idle machine.",
            join(doubtful, ", "), 100 * repeated_within));
    }
    if (!best.remeasured.empty()) {
        table.notes.emplace_back(
            "A ceiling is a maximum, so the best value ever measured is kept; --replace starts "
            "over.");
    }
    return {.title = fmt::format("{}: {}, {} thread{}", device.name, device.model, device.threads,
                                 device.threads == 1 ? "" : "s"),
            .blocks = {std::move(table)},
            .kind = "calibrate"};
}

Document device_document(const Device& device) {
    return device_document(BestOfBoth{device, {}});
}

}  // namespace strata
