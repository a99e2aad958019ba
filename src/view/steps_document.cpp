// SPDX-License-Identifier: MIT
#include "view/cells.h"
#include "view/steps.h"

#include <fmt/format.h>

namespace strata {

namespace {

std::vector<Cell> full_row(const RunFindings& findings, std::size_t i) {
    const StepResult& step = findings.run.steps[i];
    const StepTime& time = findings.summary.steps[i];
    const StepBound& bound = findings.bounds[i];
    const Provenance provenance = times_of(findings.run.origin);
    return {
        step.layer,
        step.operation,
        std::string(name_of(step.pass)),
        step.kind,
        status_of(step.time),
        optional_cell(time.time, [&](const Estimate& t) { return time_cell(t, provenance); }),
        optional_cell(time.time,
                      [](const Estimate& t) { return count_cell(static_cast<double>(t.samples)); }),
        optional_cell(time.time, [&](const Estimate&) { return percent_cell(time.share); }),
        flops_cell(step.flops),
        bytes_cell(step.read),
        bytes_cell(step.written),
        bytes_cell(step.workspace),
        std::string(name_of(bound.verdict)),
        optional_cell(bound.achieved, [](double share) { return percent_cell(share); }),
        step.implementation,
        step.algorithm,
        step.layout,
        step.problem};
}

}  // namespace

Document steps_document(const Run& run) {
    const RunFindings findings = findings_of(run);
    Table table;
    for (const char* key :
         {"layer", "operator", "pass", "kind", "status", "median_s", "samples", "share_percent",
          "flops", "bytes_read", "bytes_written", "workspace_bytes", "bound", "ceiling_percent",
          "implementation", "algorithm", "layout", "problem"}) {
        table.columns.push_back({key, key, Importance::essential});
    }
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        table.rows.push_back(full_row(findings, i));
    }
    return {fmt::format("run {}", run.id), {std::move(table)}};
}

std::string status_of(const Measurement& measurement) {
    if (const auto* skipped = std::get_if<Skipped>(&measurement)) {
        return "skipped: " + skipped->reason;
    }
    if (const auto* failed = std::get_if<Failed>(&measurement)) {
        return "failed: " + failed->reason;
    }
    if (const auto* included = std::get_if<Included>(&measurement)) {
        return "included: " + included->step;
    }
    return std::get<Samples>(measurement).values.empty() ? "skipped: no sample was taken"
                                                         : "measured";
}

}  // namespace strata
