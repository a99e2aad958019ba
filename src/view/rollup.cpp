// SPDX-License-Identifier: MIT
#include "view/rollup.h"

#include "analyze/family.h"
#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "view/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace strata {

namespace {

Cell name_cell(const StepGroup& group, Grouping by) {
    if (!group.name.empty()) {
        return group.name;
    }
    return Missing{by == Grouping::algorithm ? "no choice of algorithms"
                                             : "the backend reports none"};
}

Cell rate(double amount, Seconds time, const char* unit, Provenance provenance) {
    return amount > 0 && time > Seconds{} ? number_cell(amount / time.value, unit, provenance)
                                          : Cell(Missing{});
}

// The gain with its uncertainty.
Cell gain_cell(const Reach& reach, Provenance provenance) {
    if (!reach.has_ceiling) {
        return Missing{};
    }
    Number gain{.value = reach.gain.value, .unit = "s", .provenance = provenance};
    if (reach.uncertainty) {
        gain.low = (reach.gain - *reach.uncertainty).value;
        gain.high = (reach.gain + *reach.uncertainty).value;
    }
    return gain;
}

class RollupTable {
public:
    RollupTable(const RunFindings& findings, std::span<const Grouping> by)
        : by_(by), derived_(derived_from(findings.run.origin)), whole_(whole_name(findings)) {}

    Table table(const std::vector<StepGroup>& groups, const StepGroup& all) {
        Table table{.columns = rollup_columns(by_), .records = "groups"};
        add_rows(table, groups, {});
        if (by_.size() < 2) {
            table.levels.clear();
        }
        std::vector<Cell> names(by_.size(), "");
        names.front() = whole_;
        table.totals.push_back(row(std::move(names), all));
        return table;
    }

private:
    void add_rows(Table& table, const std::vector<StepGroup>& groups,
                  const std::vector<Cell>& ancestors) {
        for (const StepGroup& group : groups) {
            std::vector<Cell> names = ancestors;
            names.push_back(name_cell(group, by_[ancestors.size()]));
            table.levels.push_back(ancestors.size());
            std::vector<Cell> padded = names;
            padded.resize(by_.size(), Missing{});
            table.rows.push_back(row(std::move(padded), group));
            add_rows(table, group.parts, names);
        }
    }

    std::vector<Cell> row(std::vector<Cell> cells, const StepGroup& group) const {
        const Seconds time = group.reach.median;
        const bool measured = time > Seconds{};
        cells.push_back(count_cell(static_cast<double>(group.layers)));
        cells.push_back(measured ? time_cell(time, derived_) : Cell(Missing{"not measured"}));
        cells.push_back(optional_cell(group.share,
                                      [&](double share) { return percent_cell(share, derived_); }));
        cells.push_back(optional_cell(group.backward_over_forward(), [&](double ratio) {
            return number_cell(ratio, "", derived_);
        }));
        cells.push_back(rate(group.flops.value, time, "FLOP/s", derived_));
        cells.push_back(rate(group.traffic.value, time, "B/s", derived_));
        cells.push_back(group.flops > Flops{} && group.traffic > Bytes{}
                            ? number_cell((group.flops / group.traffic).value, "FLOP/B")
                            : Cell(Missing{}));
        const auto achieved = group.reach.achieved();
        cells.push_back(
            optional_cell(achieved, [&](double share) { return percent_cell(share, derived_); }));
        cells.push_back(gain_cell(group.reach, derived_));
        return cells;
    }

    std::span<const Grouping> by_;
    Provenance derived_;
    const char* whole_;
};

std::vector<std::string> names_in(std::span<const Grouping> by) {
    std::vector<std::string> names;
    for (const Grouping one : by) {
        names.emplace_back(name_of(one));
    }
    return names;
}

// The whole run as one group.
StepGroup whole_of(const RunFindings& findings) {
    std::vector<std::size_t> all(findings.run.steps.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return group_of(findings.run, findings.summary, findings.bounds, "", std::move(all));
}

std::vector<std::string> notes_of(const RunFindings& findings, std::span<const Grouping> by,
                                  std::size_t chosen, std::size_t all) {
    std::vector<std::string> notes;
    if (chosen < all) {
        notes.push_back(
            fmt::format("{} of {} steps are grouped; the sum is over all steps.", chosen, all));
    }
    if (std::ranges::find(by, Grouping::block) != by.end()) {
        notes.emplace_back(
            "Blocks are derived from names: a path up to its first number (layer1.0.conv1 belongs "
            "to layer1.0), otherwise the path without its last part; other names form a block as "
            "long as their first number stays the same.");
    }
    notes.push_back(
        fmt::format("Rates use the convention {} and compulsory traffic. ceiling: time at the "
                    "ceilings over measured time; gain: what that would save, at most.",
                    findings.convention));
    return notes;
}

// All timed steps of a run by family, the heaviest first.
std::vector<StepGroup> heaviest_families(const RunFindings& findings) {
    std::vector<std::size_t> timed;
    for (std::size_t i = 0; i < findings.run.steps.size(); ++i) {
        if (findings.summary.steps[i].time) {
            timed.push_back(i);
        }
    }
    auto families = rolled_up(findings.run, findings.summary, findings.bounds,
                              std::array{Grouping::family}, timed);
    std::ranges::stable_sort(families, std::greater<>(),
                             [](const StepGroup& family) { return family.reach.median; });
    return families;
}

std::vector<Cell> family_row(const RunFindings& findings, const LayerNames& names,
                             const StepGroup& family) {
    const Provenance derived = derived_from(findings.run.origin);
    const std::size_t first = family.members.front();
    const auto percent = [&](double share) { return percent_cell(share, derived); };
    return {names.text(layers_of(findings.run, family.members)),
            pass_text(findings.run.steps[first]),
            count_cell(static_cast<double>(family.layers)),
            family.members.size() == 1
                ? time_cell(*findings.summary.steps[first].time, times_of(findings.run.origin))
                : time_cell(family.reach.median, derived),
            optional_cell(family.share, percent),
            rate(family.flops.value, family.reach.median, "FLOP/s", derived),
            rate(family.traffic.value, family.reach.median, "B/s", derived),
            optional_cell(family.reach.achieved(), percent),
            std::string(name_of(findings.bounds[first].verdict))};
}

}  // namespace

Table heaviest_table(const RunFindings& findings, std::size_t rows) {
    Table table{.columns = {{"layer", "layer", Importance::essential},
                            {"pass", "pass", Importance::essential},
                            {"layers", "layers", Importance::normal},
                            {"time_s", "time", Importance::essential},
                            {"share", "share", Importance::essential},
                            unit_column("flop_per_s", "FLOP/s", Importance::normal),
                            unit_column("byte_per_s", "B/s", Importance::normal),
                            {"ceiling_share", "ceiling", Importance::essential},
                            {"bound", "bound", Importance::essential}}};
    const auto families = heaviest_families(findings);
    const LayerNames names(layers_of(findings.run));
    std::optional<double> share;
    for (const StepGroup& family : std::span(families).first(std::min(rows, families.size()))) {
        table.rows.push_back(family_row(findings, names, family));
        add_share(share, family.share);
    }
    table.title = fmt::format("The {} heaviest of {} rows", table.rows.size(), families.size());
    hide_unknown_shares(table, findings);
    table.notes.push_back(fmt::format(
        "{}--all shows all {} steps; equal layers and repeated blocks are one row here.",
        share ? fmt::format("These are {:.0f} % of the time. ", 100 * *share) : "",
        findings.run.steps.size()));
    if (const auto notes = delay_notes(findings); !notes.empty()) {
        table.notes.emplace_back(
            "Samples that other programs delayed are left out; --all shows how many.");
        table.notes.insert(table.notes.end(), notes.begin() + 1, notes.end());
    }
    return table;
}

std::vector<Grouping> parse_groupings(const std::vector<std::string>& names) {
    constexpr auto known = names_of(Grouping{});
    std::vector<Grouping> groupings;
    for (const std::string& name : names) {
        const auto found = value_named<Grouping>(name);
        if (!found) {
            throw Error(fmt::format("--by cannot be '{}': choose from {}", printable(name),
                                    fmt::join(known, ", ")),
                        ExitCode::usage);
        }
        if (std::ranges::find(groupings, *found) != groupings.end()) {
            throw Error(fmt::format("--by names {} twice", name), ExitCode::usage);
        }
        groupings.push_back(*found);
    }
    return groupings;
}

std::vector<Column> rollup_columns(std::span<const Grouping> by) {
    std::vector<Column> columns;
    for (const Grouping one : by) {
        const std::string name(name_of(one));
        // Data says "network_block" because "block" is also a term for kernels.
        const std::string key = one == Grouping::block ? "network_block" : name;
        columns.push_back({key, name, Importance::essential});
    }
    const std::vector<Column> numbers = {
        {"layers", "layers", Importance::detail},
        {"time_s", "time", Importance::essential},
        {"share", "share", Importance::essential},
        {"backward_over_forward", "backward / forward", Importance::normal},
        unit_column("flop_per_s", "FLOP/s", Importance::normal),
        unit_column("byte_per_s", "B/s", Importance::detail),
        unit_column("flop_per_byte", "FLOP/B", Importance::normal),
        {"ceiling_share", "ceiling", Importance::essential},
        {"gain_s", "gain", Importance::essential}};
    columns.insert(columns.end(), numbers.begin(), numbers.end());
    return columns;
}

std::vector<Block> rollup_blocks(const RunFindings& findings, std::span<const Grouping> by) {
    if (findings.run.steps.empty()) {
        return {};
    }
    std::vector<std::vector<Grouping>> wanted = {
        {Grouping::operation},
        {Grouping::pass},
        {Grouping::block, Grouping::layer, Grouping::pass}};
    if (!by.empty()) {
        wanted = {{by.begin(), by.end()}};
    }
    std::vector<Block> blocks;
    for (const auto& groupings : wanted) {
        Table table = rollup_table(findings, groupings);
        table.title = "Time by " + join(names_in(groupings), ", ");
        blocks.emplace_back(std::move(table));
    }
    return blocks;
}

Table rollup_table(const RunFindings& findings, std::span<const Grouping> by,
                   const StepFilter& filter) {
    const auto chosen = wanted_steps(findings.run, filter);
    const auto groups = rolled_up(findings.run, findings.summary, findings.bounds, by, chosen);
    const StepGroup whole = whole_of(findings);
    Table table = RollupTable(findings, by).table(groups, whole);
    add_origin(table, findings.run.origin);
    if (!whole.backward_over_forward()) {  // the column would be empty for inference
        std::ranges::find(table.columns, "backward_over_forward", &Column::key)->audience =
            Audience::data;
    }
    hide_unknown_shares(table, findings);
    table.notes = notes_of(findings, by, chosen.size(), findings.run.steps.size());
    return table;
}

}  // namespace strata
