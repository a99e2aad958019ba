// SPDX-License-Identifier: MIT
#include "view/compared_sides.h"

#include "analyze/advice.h"
#include "analyze/summary.h"
#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "measure/statistics.h"
#include "view/cells.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;
using Sides = std::span<const ComparedSide>;

std::string name_of(const ComparedSide& side) {
    return side.name.empty() && !side.runs.empty() ? runs_text(side.runs) : side.name;
}

// Each side's name, with its runs if two sides share a name.
std::vector<std::string> distinct_names(const std::vector<const ComparedSide*>& sides) {
    std::vector<std::string> names;
    for (const ComparedSide* side : sides) {
        const auto twins = std::ranges::count_if(
            sides, [&](const ComparedSide* other) { return name_of(*other) == name_of(*side); });
        names.push_back(name_of(*side) +
                        (twins > 1 ? fmt::format(" ({})", runs_text(side->runs)) : ""));
    }
    return names;
}

std::vector<const ComparedSide*> with_runs(Sides sides) {
    std::vector<const ComparedSide*> all;
    for (const ComparedSide& side : sides) {
        if (!side.runs.empty()) {
            all.push_back(&side);
        }
    }
    return all;
}

// A side by itself, and beside the baseline; the baseline has no ratio.
std::vector<Cell> row_of(const ComparedSide& side, const ComparedSide& baseline,
                         const ComparisonRules& rules) {
    if (side.runs.empty()) {
        return {name_of(side), Missing{}, Missing{side.refusal}, Missing{}, "not measured"};
    }
    const Comparison comparison = compare(baseline.runs, side.runs, rules);
    const bool is_baseline = &side == &baseline;
    const std::string reason =
        comparison.refusal.empty() ? "the whole iteration was not timed" : comparison.refusal;
    const Provenance provenance = times_of(side.runs.front().origin);
    const auto time = [&](const Estimate& t) { return time_cell(t, provenance); };
    const auto& whole = comparison.whole;
    return {name_of(side), runs_text(side.runs), optional_cell(whole.after, time, reason.c_str()),
            is_baseline ? Cell(Missing{}) : optional_cell(whole.ratio, ratio_cell),
            is_baseline ? "baseline" : verdict_text(whole.verdict)};
}

Table side_table(Sides sides, const ComparedSide& baseline, const ComparisonRules& rules) {
    Table table{.title = "end to end"};
    table.columns = {
        {"side", "side", Importance::essential},
        {"runs", "runs", Importance::detail},
        {"end_to_end_s", "end to end", Importance::essential, Audience::all, Bounds::interval},
        {"ratio", "over " + name_of(baseline), Importance::essential, Audience::all,
         Bounds::interval},
        {"verdict", "verdict", Importance::essential}};
    for (const ComparedSide& side : sides) {
        table.rows.push_back(row_of(side, baseline, rules));
    }
    return table;
}

// Each layer's median time over the side's processes, all passes together.
std::map<std::string, Seconds> times_by_layer(const ComparedSide& side) {
    std::map<std::string, std::vector<Seconds>> of_runs;
    for (const Run& run : side.runs) {
        for (const LayerTotal& layer : summarise(run).layers) {
            of_runs[layer.layer].push_back(layer.time);
        }
    }
    std::map<std::string, Seconds> medians;
    for (const auto& [layer, times] : of_runs) {
        medians[layer] = median_of(times);
    }
    return medians;
}

StackedBars side_bars(const std::vector<const ComparedSide*>& sides) {
    std::vector<LayerBar> layers;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        for (const auto& [layer, time] : times_by_layer(*sides[i])) {
            auto found = std::ranges::find(layers, layer, &LayerBar::name);
            if (found == layers.end()) {
                found = layers.insert(layers.end(), {layer, {}});
                found->times.resize(sides.size());
            }
            found->times[i] = time;
        }
    }
    return heaviest_layers(distinct_names(sides), std::move(layers));
}

// "onednn takes the least time of 4: 112 ms."
std::string lead_of(const std::vector<const ComparedSide*>& sides, const ComparisonRules& rules) {
    const ComparedSide* fastest = nullptr;
    std::optional<Seconds> least;
    for (const ComparedSide* side : sides) {
        const auto whole = compare(sides.front()->runs, side->runs, rules).whole.after;
        if (whole && (!least || whole->median < *least)) {
            least = whole->median;
            fastest = side;
        }
    }
    return least ? fmt::format("{} takes the least time of {}: {}.", name_of(*fastest),
                               sides.size(), duration(*least))
                 : "No whole iteration was timed.";
}

Document overview(Sides sides, const ComparisonRules& rules) {
    const auto present = with_runs(sides);
    const Settings& settings = present.front()->runs.front().settings;
    Document document{
        fmt::format("{}, batch {}: {} sides", settings.network, settings.batch, sides.size()),
        {Lead{lead_of(present, rules)}, side_table(sides, *present.front(), rules),
         side_bars(present)}};
    document.kind = "compare";
    return document;
}

Json pair_json(const ComparedSide& before, const ComparedSide& after,
               const ComparisonRules& rules) {
    const ComparedRuns runs{before.runs, after.runs};
    if (!before.runs.empty() && !after.runs.empty()) {
        return comparison_json(compare(before.runs, after.runs, rules), runs);
    }
    const ComparedSide& refused = before.runs.empty() ? before : after;
    Comparison comparison;
    comparison.rules = rules;
    comparison.refusal = refused.refusal;
    return comparison_json(comparison, runs);
}

Json skipped_json(Sides sides) {
    Json skipped = Json::array();
    for (const ComparedSide& side : sides) {
        if (side.runs.empty()) {
            skipped.push_back({{"side", name_of(side)}, {"reason", side.refusal}});
        }
    }
    return skipped;
}

}  // namespace

std::vector<Document> comparison_documents(Sides sides, const ComparisonRules& rules) {
    const auto present = with_runs(sides);
    std::vector<Document> documents;
    if (sides.size() > 2 || present.size() < 2) {
        documents.push_back(overview(sides, rules));
    }
    for (std::size_t i = 1; i < present.size(); ++i) {
        documents.push_back(comparison_document({present[0]->runs, present[i]->runs}, rules));
    }
    return documents;
}

Json comparisons_json(Sides sides, const ComparisonRules& rules) {
    check(sides.size() > 1, "a comparison has two sides");
    const auto present = with_runs(sides);
    const bool is_pair = present.size() > 1;
    Json json =
        pair_json(is_pair ? *present[0] : sides[0], is_pair ? *present[1] : sides[1], rules);
    json["others"] = Json::array();
    for (std::size_t i = 2; i < present.size(); ++i) {
        json["others"].push_back(pair_json(*present[0], *present[i], rules));
    }
    json["skipped"] = skipped_json(sides);
    return json;
}

}  // namespace strata
