// SPDX-License-Identifier: MIT
#include "view/framework_study.h"

#include "analyze/advice.h"
#include "base/enumeration.h"
#include "view/cells.h"

#include <fmt/format.h>

namespace strata {

namespace {

using Studied = StudiedFramework::Studied;

// A framework with one setting changed, compared with its default.
struct Judged {
    const StudiedFramework* framework;
    const Studied* studied;
    // Empty if one of the two was not measured or is incomplete.
    std::optional<ComparedTime> whole = {};
    std::string reason = {};

    bool is_default() const { return studied == &framework->sides.front(); }
    std::string text() const {
        return is_default() ? "default" : studied->setting + " " + studied->value;
    }
};

Judged judge(const StudiedFramework& framework, const Studied& studied,
             const ComparisonRules& rules) {
    Judged judged{&framework, &studied};
    const ComparedSide& usual = framework.sides.front().side;
    if (usual.runs.empty() || studied.side.runs.empty()) {
        judged.reason = studied.side.runs.empty() ? studied.side.refusal : usual.refusal;
        return judged;
    }
    Comparison comparison = compare(usual.runs, studied.side.runs, rules);
    judged.reason = comparison.refusal;
    if (comparison.refusal.empty()) {
        judged.whole = std::move(comparison.whole);
    }
    return judged;
}

std::vector<Judged> judge(const std::vector<StudiedFramework>& frameworks,
                          const ComparisonRules& rules) {
    std::vector<Judged> all;
    for (const StudiedFramework& framework : frameworks) {
        for (const Studied& studied : framework.sides) {
            all.push_back(judge(framework, studied, rules));
        }
    }
    return all;
}

std::vector<Cell> row_of(const Judged& judged) {
    std::vector<Cell> row = {judged.framework->backend,
                             judged.is_default() ? "default" : judged.studied->setting,
                             text_or_missing(judged.studied->value)};
    if (!judged.whole) {
        row.insert(row.end(), {Missing{judged.reason}, Missing{}, "not measured", Missing{}});
        return row;
    }
    const Provenance provenance = times_of(judged.studied->side.runs.front().origin);
    row.push_back(optional_cell(
        judged.whole->after, [&](const Estimate& t) { return time_cell(t, provenance); },
        "the whole iteration was not timed"));
    if (judged.is_default()) {
        row.insert(row.end(), {Missing{}, "", Missing{}});
        return row;
    }
    row.push_back(optional_cell(judged.whole->ratio, ratio_cell));
    row.emplace_back(verdict_text(judged.whole->verdict));
    row.push_back(judged.whole->verdict ? Cell(std::string(name_of(*judged.whole->verdict)))
                                        : Cell(Missing{}));
    return row;
}

Table choice_table(const std::vector<Judged>& all, const ComparisonRules& rules) {
    Table table{.records = "choices"};
    table.columns = {
        {"backend", "framework", Importance::essential},
        {"setting", "setting", Importance::essential},
        {"setting_value", "value", Importance::essential},
        {"end_to_end_s", "end to end", Importance::essential, Audience::all, Bounds::interval},
        {"ratio", "over default", Importance::essential, Audience::all, Bounds::interval},
        people_column("finding", "verdict"),
        data_column("verdict")};
    for (const Judged& judged : all) {
        table.rows.push_back(row_of(judged));
    }
    add_origin(table, Origin::measured);
    table.notes = {
        "Each setting is changed alone and compared with the default of the same framework.",
        fmt::format("faster, slower: the times differ, by more than {}.", percent(rules.margin))};
    return table;
}

// "pytorch gains most by layout nhwc, which takes 0.89 of its default's time (0.88 to 0.90)."
std::string finding_on(const StudiedFramework& framework, const std::vector<Judged>& all) {
    const Judged* best = nullptr;
    bool is_open = false;
    for (const Judged& judged : all) {
        if (judged.framework != &framework) {
            continue;
        }
        if (judged.is_default() && !judged.whole) {
            return fmt::format("{} was not measured: {}.", framework.backend, judged.reason);
        }
        is_open = is_open || (!judged.is_default() && judged.whole &&
                              judged.whole->verdict == Verdict::unclear);
        if (judged.whole && judged.whole->verdict == Verdict::faster &&
            (best == nullptr || judged.whole->ratio->value < best->whole->ratio->value)) {
            best = &judged;
        }
    }
    if (best == nullptr) {
        return is_open ? fmt::format(
                             "These samples cannot tell whether a setting makes {} faster here: "
                             "measure more --rounds on a quiet machine.",
                             framework.backend)
                       : fmt::format("No setting makes {} faster here.", framework.backend);
    }
    const Ratio& ratio = *best->whole->ratio;
    return fmt::format(
        "{} gains most by {}, which takes {:.2f} of its default's time ({:.2f} to {:.2f}).",
        framework.backend, best->text(), ratio.value, ratio.low, ratio.high);
}

std::string lead_of(const std::vector<Judged>& all) {
    const Judged* fastest = nullptr;
    for (const Judged& judged : all) {
        if (judged.whole && judged.whole->after &&
            (fastest == nullptr || judged.whole->after->median < fastest->whole->after->median)) {
            fastest = &judged;
        }
    }
    return fastest == nullptr
               ? "No whole iteration was timed."
               : fmt::format("{} with {} takes the least time: {}.", fastest->framework->backend,
                             fastest->is_default() ? "its defaults" : fastest->text(),
                             duration(fastest->whole->after->median));
}

}  // namespace

Document framework_study_document(const std::string& network, std::int64_t batch,
                                  const std::vector<StudiedFramework>& frameworks,
                                  const ComparisonRules& rules) {
    const std::vector<Judged> all = judge(frameworks, rules);
    Ranking findings;
    for (const StudiedFramework& framework : frameworks) {
        findings.items.push_back(finding_on(framework, all));
    }
    return {
        .title = fmt::format("{}, batch {}: what the settings of frameworks gain", network, batch),
        .blocks = {Lead{lead_of(all)}, std::move(findings), choice_table(all, rules)},
        .kind = "framework-study"};
}

}  // namespace strata
