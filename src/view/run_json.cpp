// SPDX-License-Identifier: MIT
#include "analyze/step_findings.h"
#include "base/enumeration.h"
#include "record/completeness.h"
#include "record/options.h"
#include "view/fused.h"
#include "view/grid.h"
#include "view/json.h"
#include "view/json_values.h"
#include "view/predicted.h"
#include "view/recount.h"
#include "view/run_sections.h"
#include "view/steps.h"

#include <fmt/format.h>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

void add_time(const char* name, const std::optional<Estimate>& time, Json& object) {
    const std::string key = std::string(name) + "_s";
    const bool interval = time && time->samples > 1;
    object[key] = time ? Json(time->median.value) : Json();
    object[key_of_end(key, "low")] = interval ? Json(time->low.value) : Json();
    object[key_of_end(key, "high")] = interval ? Json(time->high.value) : Json();
}

void add_ratio(const char* name, const std::optional<Ratio>& ratio, Json& object) {
    object[name] = ratio ? number_json(ratio->value) : Json();
    object[key_of_end(name, "low")] = ratio ? number_json(ratio->low) : Json();
    object[key_of_end(name, "high")] = ratio ? number_json(ratio->high) : Json();
}

// As in step_counter: one row for each metric of each step.
Json counters_json(const Run& run) {
    Json counters = Json::array();
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        const StepResult& step = run.steps[i];
        for (const MetricResult& metric : step.metrics) {
            counters.push_back({{"position", i},
                                {"layer", step.layer},
                                {"pass", name_of(step.pass)},
                                {"kind", name_of(step.kind)},
                                {"metric", metric.name},
                                {"unit", metric.unit},
                                {"value", number_json(metric.value)},
                                {"reason", text_json(metric.reason)},
                                {"counted_at", step.counted_at ? Json(*step.counted_at) : Json()}});
        }
    }
    return counters;
}

Json finding_json(const Finding& finding) {
    const auto seconds = [](const std::optional<Seconds>& time) {
        return time ? Json(time->value) : Json();
    };
    return {{"layer", finding.layers},
            {"operator", text_json(finding.operation)},
            {"pass", text_json(finding.pass)},
            {"kind", text_json(finding.kind)},
            {"steps", finding.steps},
            {"median_s", finding.median.value},
            {"share", number_json(finding.share)},
            {"gain_s", seconds(finding.gain)},
            {"gain_share", number_json(finding.gain_share)},
            {"gain_uncertainty_s", seconds(finding.uncertainty)},
            {"sentence", finding.sentence},
            {"remedy", name_of(finding.advice.remedy)},
            {"command", text_json(finding.advice.command)},
            {"saving_s", seconds(finding.advice.saving)}};
}

// The largest possible gains first.
Json findings_json(const RunFindings& findings) {
    Json found = Json::array();
    for (const Finding& one : findings_on(findings.run, findings.summary, findings.bounds)) {
        found.push_back(finding_json(one));
    }
    return found;
}

// The steps' time, and their time at the ceilings; null if no step has a ceiling.
Json at_ceilings_json(const RunFindings& findings) {
    const Reach all = reach_of(findings.run, findings.summary, findings.bounds);
    if (!all.has_ceiling || !findings.summary.budget.is_whole) {
        return nullptr;
    }
    return {{"time_s", all.median.value},
            {"at_ceilings_s", all.at_ceilings().value},
            {"without_ceiling_s", all.unjudged.value}};
}

// How many iterations other programs delayed (null if not observed) and which samples the time
// uses.
void add_use(const char* name, const std::optional<Estimate>& time, const Samples& samples,
             Json& object) {
    object[std::string(name) + "_disturbed"] =
        time && !samples.disturbed.empty() ? Json(time->disturbed) : Json();
    object[std::string(name) + "_sample_use"] = time ? Json(name_of(time->use)) : Json();
}

Json budget_json(const RunFindings& findings) {
    const Budget& budget = findings.summary.budget;
    const WholeResult& whole = findings.run.whole;
    Json json;
    add_time("end_to_end", budget.end_to_end, json);
    json["samples"] = budget.end_to_end ? Json(budget.end_to_end->samples) : Json();
    add_time("steps", budget.steps, json);
    add_time("instrumented", budget.instrumented, json);
    add_use("end_to_end", budget.end_to_end, whole.end_to_end, json);
    add_use("instrumented", budget.instrumented, whole.instrumented, json);
    json["steps_sample_use"] = budget.steps ? Json(name_of(budget.steps->use)) : Json();
    json["empty_step_s"] = budget.empty_step ? Json(budget.empty_step->value) : Json();
    add_ratio("residual", budget.residual, json);
    add_ratio("overhead", budget.overhead, json);
    return json;
}

Json doubts_json(const Run& run) {
    Json doubts = Json::array();
    for (const auto& flag : run.flags) {
        doubts.push_back({{"kind", kind_text(flag)}, {"sentence", flag.sentence}});
    }
    return doubts;
}

Json settings_json(const Run& run) {
    const Settings& settings = run.settings;
    return {{"run", run.id},
            {"created", run.created},
            {"origin", name_of(run.origin)},
            {"state", progress_of(run)},
            {"incomplete", text_json(holes_text(run))},
            {"backend", settings.backend},
            {"network", settings.network},
            {"batch", settings.batch},
            {"mode", text_of(settings, "mode")},
            {"dtype", text_of(settings, "dtype")},
            {"threads", threads_json(run)},
            {"algorithm", text_of(settings, "algorithm")},
            {"policy", policy_text(settings)},
            {"settings", Json(further_settings(settings))},
            {"tags", text_json(fmt::format("{}", fmt::join(run.tags, ", ")))},
            {"note", text_json(run.note)}};
}

Json interval_json(const std::optional<PredictedInterval>& interval) {
    return interval ? Json{{"low_s", interval->low.value},
                           {"high_s", interval->high.value},
                           {"basis", interval->basis}}
                    : Json();
}

}  // namespace

Json run_json(const Run& run, const StepFilter& filter, const Convention& convention,
              const Selection& selection, std::span<const Grouping> by) {
    const Run counted = counted_by(convention, run);
    const RunFindings findings = {.run = counted,
                                  .summary = summarise(counted),
                                  .bounds = bounds_of(run),
                                  .convention = convention.name};
    Json json = settings_json(run);
    json["convention"] = convention.name;
    json["steps"] =
        records_in(steps_document(findings, filter), by.empty() ? selection : Selection{});
    json["groups"] =
        by.empty()
            ? Json::array()
            : records_in({.title = "", .blocks = {rollup_table(findings, by, filter)}}, selection);
    json["fused"] = records_in({.title = "", .blocks = {fused_table(findings)}});
    json["findings"] = findings_json(findings);
    json["at_ceilings"] = at_ceilings_json(findings);
    json["counters"] = counters_json(run);
    json["budget"] = budget_json(findings);
    json["interval"] = interval_json(run.interval);
    for (const RunSection& section : run_sections()) {
        json[section.key] = section.json(run);
    }
    json["doubts"] = doubts_json(run);
    json["provenance"] = run.provenance;
    return json;
}

Json grid_json(std::span<const Run> runs, const VariedGrid& grid, const Convention& convention,
               const Selection& selection) {
    const Settings& settings = runs.back().settings;
    return {{"variables", grid.names},
            {"origin", name_of(runs.back().origin)},
            {"network", settings.network},
            {"backend", settings.backend},
            {"mode", text_of(settings, "mode")},
            {"dtype", text_of(settings, "dtype")},
            {"threads", threads_json(runs.back())},
            {"algorithm", text_of(settings, "algorithm")},
            {"convention", convention.name},
            {"points", records_in(grid_document(runs, grid), selection)}};
}

}  // namespace strata
