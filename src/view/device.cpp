// SPDX-License-Identifier: MIT
#include "view/device.h"

#include "view/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

constexpr double least_change = 0.0005;  // what a decimal of a percent shows

// What a ceiling was before and is now, in words.
std::string finding_on(const std::vector<Remeasured>& all, const std::string& ceiling) {
    const auto found = std::ranges::find(all, ceiling, &Remeasured::ceiling);
    if (found == all.end()) {
        return all.empty() ? "" : "new";
    }
    if (!found->now) {
        return "kept: not found this time";
    }
    const bool is_time = ceiling == "launch";
    const double gain = is_time ? found->before / *found->now - 1 : *found->now / found->before - 1;
    if (std::abs(gain) < least_change) {
        return "the same";
    }
    const std::string change = fmt::format("{:.1f} % {}", 100 * std::abs(gain),
                                           (gain > 0) == is_time ? "lower" : "higher");
    return gain > 0 ? "better: " + change : fmt::format("kept: {} this time", change);
}

// The columns' titles in the order of the rows' cells; the finding only where there was something
// to compare with.
Table ceilings_table(const BestOfBoth& best) {
    const Device& device = best.device;
    const bool compared = !best.remeasured.empty();
    Table table;
    table.columns = {{"ceiling", "ceiling", Importance::essential},
                     {"at_most", "at most", Importance::essential},
                     {"capacity_bytes", "capacity", Importance::normal}};
    if (compared) {
        table.columns.push_back({"finding", "against before", Importance::essential});
    }
    table.columns.push_back({"source", "source", Importance::normal});
    const auto add = [&](const std::string& name, Cell rate, Cell capacity,
                         const std::string& source) {
        auto& row = table.rows.emplace_back();
        row = {name, std::move(rate), std::move(capacity)};
        if (compared) {
            row.emplace_back(finding_on(best.remeasured, name));
        }
        row.emplace_back(source);
    };
    for (const auto& compute : device.compute) {
        add(compute.dtype + " peak", number_cell(compute.peak.value.value, "FLOP/s"), Missing{},
            compute.peak.source);
    }
    for (const auto& level : device.memory) {
        add(level.name + " bandwidth", number_cell(level.bandwidth.value.value, "B/s"),
            optional_cell(level.capacity, [](Bytes bytes) { return bytes_cell(bytes); }),
            level.bandwidth.source);
    }
    if (device.launch) {
        add("launch", time_cell(device.launch->value), Missing{}, device.launch->source);
    }
    return table;
}

}  // namespace

Document device_document(const BestOfBoth& best) {
    const Device& device = best.device;
    Table table = ceilings_table(best);
    if (!best.remeasured.empty()) {
        table.notes.emplace_back(
            "A ceiling is a maximum, so the best value seen is kept; --replace starts anew.");
    }
    return {fmt::format("{}: {}, {} thread{}", device.name, device.model, device.threads,
                        device.threads == 1 ? "" : "s"),
            {std::move(table)}};
}

Document device_document(const Device& device) {
    return device_document(BestOfBoth{device, {}});
}

}  // namespace strata
