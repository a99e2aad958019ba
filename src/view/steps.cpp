// SPDX-License-Identifier: MIT
#include "view/steps.h"

#include "view/cells.h"

#include <fmt/format.h>

namespace strata {

namespace {

std::string pass_text(const StepResult& step) {
    const bool plain = step.kind.empty() || step.kind == "compute";
    return std::string(name_of(step.pass)) + (plain ? "" : " " + step.kind);
}

Bytes traffic_of(const StepResult& step) {
    return step.read + step.written;
}

// A rate where there is something to rate.
Cell rate_cell(double amount, Seconds time, const char* unit, Provenance provenance) {
    return amount > 0 && time > Seconds{0} ? number_cell(amount / time.value, unit, provenance)
                                           : Cell(Missing{});
}

Cell intensity_cell(Flops flops, Bytes traffic) {
    return flops > Flops{0} && traffic > Bytes{0} ? number_cell((flops / traffic).value, "FLOP/B")
                                                  : Cell(Missing{});
}

const std::vector<Column>& columns() {
    static const std::vector<Column> all = {
        {"layer", "layer", Importance::essential},
        {"pass", "pass", Importance::essential},
        {"median_s", "time", Importance::essential},
        {"share_percent", "share", Importance::essential},
        {"flop_per_s", "", Importance::normal},
        {"byte_per_s", "", Importance::normal},
        {"flop_per_byte", "", Importance::detail},
        {"ceiling_percent", "ceiling", Importance::normal},
        {"bound", "bound", Importance::normal},
        {"implementation", "implementation", Importance::detail}};
    return all;
}

// The cells behind layer and pass, for a step that has a time.
std::vector<Cell> measured_cells(const RunFindings& findings, std::size_t i) {
    const StepResult& step = findings.run.steps[i];
    const Estimate& time = *findings.summary.steps[i].time;
    const Provenance derived = derived_from(findings.run.origin);
    return {time_cell(time, times_of(findings.run.origin)),
            percent_cell(findings.summary.steps[i].share, derived),
            rate_cell(step.flops.value, time.median, "FLOP/s", derived),
            rate_cell(traffic_of(step).value, time.median, "B/s", derived),
            intensity_cell(step.flops, traffic_of(step)),
            optional_cell(findings.bounds[i].achieved,
                          [&](double share) { return percent_cell(share, derived); })};
}

std::vector<Cell> row_of(const RunFindings& findings, std::size_t i) {
    const StepResult& step = findings.run.steps[i];
    std::vector<Cell> row = {step.layer, pass_text(step)};
    if (findings.summary.steps[i].time) {
        const auto cells = measured_cells(findings, i);
        row.insert(row.end(), cells.begin(), cells.end());
    } else {
        row.push_back(Missing{status_of(step.time)});
        row.insert(row.end(), 5, Missing{});
    }
    row.push_back(std::string(name_of(findings.bounds[i].verdict)));
    row.push_back(step.implementation);
    return row;
}

std::vector<Cell> pass_total(const RunFindings& findings, const PassTotal& total) {
    const Provenance derived = derived_from(findings.run.origin);
    return {"all",
            std::string(name_of(total.pass)),
            time_cell(total.time, derived),
            percent_cell(total.share, derived),
            rate_cell(total.flops.value, total.time, "FLOP/s", derived),
            rate_cell(total.traffic.value, total.time, "B/s", derived),
            intensity_cell(total.flops, total.traffic),
            Missing{},
            "",
            ""};
}

PassTotal sum_of(const std::vector<PassTotal>& totals) {
    PassTotal sum;
    for (const auto& total : totals) {
        sum.time += total.time;
        sum.share += total.share;
        sum.flops += total.flops;
        sum.traffic += total.traffic;
    }
    return sum;
}

std::string seen_and_hidden(const Run& run, std::size_t shown) {
    return fmt::format("{} of {} steps shown; the sums are of all.", shown, run.steps.size());
}

}  // namespace

RunFindings findings_of(const Run& run) {
    return {.run = run, .summary = summarise(run), .bounds = bounds_of(run)};
}

Table steps_table(const RunFindings& findings, const StepFilter& filter) {
    Table table;
    table.columns = columns();
    const auto wanted = wanted_steps(findings.run, filter);
    for (const std::size_t i : wanted) {
        table.rows.push_back(row_of(findings, i));
    }
    for (const auto& total : findings.summary.passes) {
        table.totals.push_back(pass_total(findings, total));
    }
    if (findings.summary.passes.size() > 1) {
        table.totals.push_back(pass_total(findings, sum_of(findings.summary.passes)));
        table.totals.back()[1] = "";
    }
    if (wanted.size() < findings.run.steps.size()) {
        table.notes.push_back(seen_and_hidden(findings.run, wanted.size()));
    }
    table.notes.push_back(
        fmt::format("Rates by the convention {} and compulsory traffic; ceiling: "
                    "share of what bounds the step.",
                    findings.convention));
    table.notes.emplace_back(
        "Sums add the steps' medians; the budget has the median of whole sums.");
    return table;
}

}  // namespace strata
