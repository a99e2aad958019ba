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
    if (found->was_impossible) {
        return fmt::format("replaced: {:.1f} times as high, impossible",
                           found->before / *found->now);
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

// A source's first part; the rest says how often it was sampled, and what came near it.
std::string essence_of(const std::string& source) {
    return source.substr(0, source.find(';'));
}

// What only some ceilings have.
struct FurtherCells {
    Cell sustained = Missing{};
    Cell capacity = Missing{};
};

template <class Q>
std::vector<Cell> row_of(const BestOfBoth& best, const std::string& ceiling, const Fact<Q>& fact,
                         const char* unit, FurtherCells further = {}) {
    const Number value{.value = fact.value.value, .unit = unit};
    return {ceiling,
            value,
            Number{.value = value.value},
            value.unit,
            std::move(further.sustained),
            std::move(further.capacity),
            finding_on(best.remeasured, ceiling),
            essence_of(fact.source),
            fact.source,
            flag_cell(fact.is_doubtful),
            is_gpu(best.device) ? Cell(Missing{}) : count_cell(best.device.threads),
            best.device.model};
}

Cell sustained_cell(const ComputeCeiling& ceiling) {
    return optional_cell(ceiling.sustained, [](const Fact<FlopRate>& rate) {
        return Number{.value = rate.value.value, .unit = "FLOP/s"};
    });
}

void show_only_if(bool shown, Table& table, std::string_view key) {
    if (!shown) {
        std::ranges::find(table.columns, key, &Column::key)->audience = Audience::data;
    }
}

// People see the findings only if there was an earlier value to compare with.
Table ceilings_table(const BestOfBoth& best) {
    Table table{.columns = device_columns(), .records = "ceilings"};
    show_only_if(!best.remeasured.empty(), table, "finding");
    show_only_if(std::ranges::any_of(best.device.compute,
                                     [](const auto& one) { return one.sustained.has_value(); }),
                 table, "sustained_flop_per_s");
    for (const auto& compute : best.device.compute) {
        table.rows.push_back(row_of(best, compute.dtype + " peak", compute.peak, "FLOP/s",
                                    {.sustained = sustained_cell(compute)}));
    }
    for (const auto& level : best.device.memory) {
        table.rows.push_back(row_of(best, level.name + " bandwidth", level.bandwidth, "B/s",
                                    {.capacity = optional_cell(level.capacity, [](Bytes bytes) {
                                         return bytes_cell(bytes);
                                     })}));
    }
    if (const auto& launch = best.device.launch) {
        table.rows.push_back(row_of(best, "launch", *launch, "s"));
    }
    return table;
}

}  // namespace

std::vector<Column> device_columns() {
    return {{"ceiling", "ceiling", Importance::essential},
            people_column("at_most", "limit"),
            data_column("value"),
            data_column("unit"),
            {"sustained_flop_per_s", "for a second", Importance::normal},
            {"capacity_bytes", "capacity", Importance::normal},
            {"finding", "against before", Importance::essential},
            people_column("essence", "source"),
            data_column("source"),
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
    if (is_gpu(device)) {
        table.notes.emplace_back(
            "for a second: what the same product keeps when its power may limit the clock; it is "
            "not a ceiling, because the products of a network are shorter.");
    }
    table.notes.emplace_back("The file says how often each was sampled and what came near it.");
    if (!best.remeasured.empty()) {
        table.notes.emplace_back(
            "A ceiling is a maximum, so the best value ever measured is kept; --replace starts "
            "over.");
    }
    const std::string threads = is_gpu(device) ? ""
                                               : fmt::format(", {} thread{}", device.threads,
                                                             device.threads == 1 ? "" : "s");
    return {.title = fmt::format("{}: {}{}", device.name, device.model, threads),
            .blocks = {std::move(table)},
            .kind = "calibrate"};
}

Document device_document(const Device& device) {
    return device_document(BestOfBoth{device, {}});
}

}  // namespace strata
