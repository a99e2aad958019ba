// SPDX-License-Identifier: MIT
#include "view/run.h"

#include "analyze/memory_check.h"
#include "analyze/verification.h"
#include "base/enumeration.h"
#include "record/completeness.h"
#include "view/recount.h"
#include "view/trace_json.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <set>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

template <class Quantity>
Json whole(Quantity count) {
    return static_cast<std::int64_t>(std::llround(count.value));
}

Json number(std::optional<double> value) {
    return value && std::isfinite(*value) ? Json(*value) : Json();
}

Json seconds(const std::optional<Estimate>& time) {
    return time ? Json(time->median.value) : Json();
}

Json time_json(const std::optional<Estimate>& time) {
    if (!time) {
        return nullptr;
    }
    return {{"median_s", time->median.value},
            {"low_s", time->low.value},
            {"high_s", time->high.value},
            {"samples", time->samples},
            {"minimum_s", time->minimum.value}};
}

Json run_part(const Run& run) {
    const Settings& settings = run.settings;
    return {{"id", run.id},
            {"origin", name_of(run.origin)},
            {"backend", settings.backend},
            {"network", settings.network},
            {"batch", settings.batch},
            {"dtype", settings.dtype},
            {"threads", settings.threads},
            {"state", progress_of(run)},
            {"incomplete", is_incomplete(run) ? Json(holes_text(run)) : Json()},
            {"created", run.created},
            {"mode", settings.mode},
            {"algorithm", settings.algorithm},
            {"policy", settings.policy},
            {"further", settings.further}};
}

// By metric; null where nothing was counted of the step.
Json counters_json(const StepResult& step) {
    Json counters;
    for (const MetricResult& metric : step.metrics) {
        counters[metric.name] = {{"value", number(metric.value)},
                                 {"unit", metric.unit},
                                 {"reason", metric.reason.empty() ? Json() : Json(metric.reason)}};
    }
    return counters;
}

Json step_json(const RunFindings& findings, std::size_t i) {
    const StepResult& step = findings.run.steps[i];
    const StepTime& time = findings.summary.steps[i];
    const StepBound& bound = findings.bounds[i];
    return {{"name", step.layer},
            {"operator", step.operation},
            {"pass", name_of(step.pass)},
            {"implementation", step.implementation},
            {"status", status_of(step.time)},
            {"time", time_json(time.time)},
            {"flops", whole(step.flops)},
            {"bytes", whole(step.read + step.written)},
            {"bound", name_of(bound.verdict)},
            {"kind", step.kind},
            {"share", time.time ? Json(time.share) : Json()},
            {"ceiling", bound.ceiling.empty() ? Json() : Json(bound.ceiling)},
            {"achieved", number(bound.achieved)},
            {"algorithm", step.algorithm},
            {"layout", step.layout},
            {"workspace_bytes", whole(step.workspace)},
            {"problem", step.problem},
            {"error", step.verified ? number(step.verified->error) : Json()},
            {"tolerance", step.verified ? number(step.verified->tolerance) : Json()},
            {"counters", counters_json(step)}};
}

// In the order of execution, however the filter found them.
Json steps_json(const RunFindings& findings, const StepFilter& filter) {
    const auto wanted = wanted_steps(findings.run, filter);
    Json steps = Json::array();
    for (const std::size_t i : std::set<std::size_t>(wanted.begin(), wanted.end())) {
        steps.push_back(step_json(findings, i));
    }
    return steps;
}

Json ratio_json(const std::optional<Ratio>& ratio) {
    return ratio ? Json(ratio->value) : Json();
}

Json budget_json(const Budget& budget) {
    return {{"end_to_end_s", seconds(budget.end_to_end)},
            {"steps_s", seconds(budget.steps)},
            {"residual", ratio_json(budget.residual)},
            {"instrumented_s", seconds(budget.instrumented)},
            {"overhead", ratio_json(budget.overhead)},
            {"end_to_end", time_json(budget.end_to_end)}};
}

Json flags_json(const Run& run) {
    Json flags = Json::array();
    for (const auto& flag : run.flags) {
        flags.push_back({{"kind", flag.kind}, {"sentence", flag.sentence}});
    }
    return flags;
}

Json verification_json(const Run& run) {
    const auto found = verification_of(run);
    if (!found) {
        return nullptr;
    }
    const StepResult* worst = found->worst;
    return {{"compared", found->compared},
            {"disagreeing", found->disagreeing},
            {"without_reference", found->without_reference},
            {"worst", worst == nullptr ? Json()
                                       : Json{{"layer", worst->layer},
                                              {"pass", name_of(worst->pass)},
                                              {"error", number(worst->verified->error)},
                                              {"tolerance", number(worst->verified->tolerance)}}}};
}

Json memory_json(const Run& run) {
    const MemoryCheck check = memory_check_of(run);
    return {{"predicted_bytes", whole(check.predicted)},
            {"measured_bytes", check.measured ? whole(*check.measured) : Json()},
            {"workspace_bytes", whole(check.scratch)},
            {"predicted_over_measured", number(check.ratio)}};
}

}  // namespace

std::string run_json(const Run& run, const StepFilter& filter, const Convention& convention) {
    const Run counted = counted_by(convention, run);
    const RunFindings findings = {.run = counted,
                                  .summary = summarise(counted),
                                  .bounds = bounds_of(run),
                                  .convention = convention.name};
    const Json shown = {{"run", run_part(run)},
                        {"convention", convention.name},
                        {"layers", steps_json(findings, filter)},
                        {"budget", budget_json(findings.summary.budget)},
                        {"memory", memory_json(run)},
                        {"verification", verification_json(run)},
                        {"trace", trace_json(run)},
                        {"flags", flags_json(run)},
                        {"provenance", run.provenance}};
    return shown.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata
