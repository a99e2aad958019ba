// SPDX-License-Identifier: MIT
#include "view/paired.h"

#include "base/enumeration.h"
#include "base/text.h"
#include "view/cells.h"

#include <fmt/format.h>

namespace strata {

namespace {

std::string_view text_of(Change change) {
    switch (change) {
        case Change::none:
            return "no difference";
        case Change::faster:
            return "faster";
        case Change::slower:
            return "slower";
        case Change::uncertain:
            return "too few samples";
        case Change::unknown:
            break;
    }
    return "not comparable";
}

std::string text_of(const std::vector<SettingDifference>& differences) {
    std::vector<std::string> texts;
    for (const SettingDifference& each : differences) {
        texts.push_back(fmt::format("{} {} → {}", each.name, each.before, each.after));
    }
    return texts.empty() ? "the same settings" : join(texts, ", ");
}

Cell side_cell(const std::optional<Estimate>& time, const Run& run) {
    return optional_cell(
        time, [&](const Estimate& t) { return time_cell(t, times_of(run.origin)); },
        "not measured");
}

Cell ratio_cell(const std::optional<Ratio>& ratio) {
    return optional_cell(
        ratio,
        [](const Ratio& r) {
            return Number{.value = r.value, .unit = "", .low = r.low, .high = r.high};
        },
        "not measured in both runs");
}

std::vector<Cell> row_of(const PairedTime& time, const Run& before, const Run& after) {
    return {count_cell(static_cast<double>(before.id)),
            count_cell(static_cast<double>(after.id)),
            time.pass.empty() ? "end to end" : join(time.layers, " + "),
            time.pass,
            side_cell(time.before, before),
            side_cell(time.after, after),
            ratio_cell(time.ratio),
            std::string(text_of(time.change())),
            std::string(name_of(time.change()))};
}

}  // namespace

Table paired_table(const Pairing& pairing, const Run& before, const Run& after) {
    Table table{.records = "steps"};
    table.columns = {
        data_column("before"),
        data_column("after"),
        {"layer", "layer", Importance::essential},
        {"pass", "pass", Importance::essential},
        {"before_s", "before", Importance::essential, Audience::all, Bounds::interval},
        {"after_s", "after", Importance::essential, Audience::all, Bounds::interval},
        {"ratio", "after / before", Importance::essential, Audience::all, Bounds::interval},
        people_column("finding", "finding"),
        data_column("change")};
    for (const PairedTime& time : pairing.rows) {
        table.rows.push_back(row_of(time, before, after));
    }
    table.totals = {row_of(pairing.whole, before, after)};
    table.notes = {
        "A ratio's interval combines the extremes of both medians' intervals; if it contains 1, "
        "the runs do not differ. The runs were measured one after the other."};
    return table;
}

Document paired_document(const Run& before, const Run& after) {
    const Pairing pairing = pair_of(before, after);
    const std::string title =
        fmt::format("{}, batch {}: {}, runs {} and {}", before.settings.network,
                    before.settings.batch, text_of(pairing.differences), before.id, after.id);
    if (!pairing.refusal.empty()) {
        return {title, {Paragraph{fmt::format("Not compared: {}.", pairing.refusal)}}};
    }
    return {title, {paired_table(pairing, before, after)}};
}

}  // namespace strata
