// SPDX-License-Identifier: MIT
#include "view/steps.h"

#include "analyze/advice.h"
#include "analyze/rollup.h"
#include "view/cells.h"
#include "view/columns.h"

#include "base/enumeration.h"
#include "base/text.h"
#include "record/engines.h"
#include "record/step_times.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

Bytes traffic_of(const StepResult& step) {
    return step.read + step.written;
}

// A rate, if there is work.
Cell rate_cell(double amount, Seconds time, const char* unit, Provenance provenance) {
    return amount > 0 && time > Seconds{0} ? number_cell(amount / time.value, unit, provenance)
                                           : Cell(Missing{});
}

Cell intensity_cell(Flops flops, Bytes traffic) {
    return flops > Flops{0} && traffic > Bytes{0} ? number_cell((flops / traffic).value, "FLOP/B")
                                                  : Cell(Missing{});
}

// A step with all that is known about it.
struct ShownStep {
    const RunFindings& findings;
    std::size_t position;

    const StepResult& result() const { return findings.run.steps[position]; }
    const std::optional<Estimate>& time() const { return findings.summary.steps[position].time; }
    const StepBound& bound() const { return findings.bounds[position]; }
};

// All steps of a pass together.
struct ShownPass {
    const RunFindings& findings;
    const PassTotal& total;
    std::optional<Pass> pass;  // nothing: of all passes
};

const StepResult& step_at(const RunFindings& findings, std::size_t i) {
    return findings.run.steps[i];
}

// Empty unless delays by other programs were observed.
Cell delayed_samples_cell(const ShownStep& step) {
    const auto* samples = std::get_if<Samples>(&step.result().time);
    return step.time() && samples != nullptr && !samples->disturbed.empty()
               ? as_cell(step.time()->disturbed)
               : Cell(Missing{});
}

Provenance derived(const RunFindings& findings) {
    return derived_from(findings.run.origin);
}

Cell share_cell(const RunFindings& findings, std::optional<double> share) {
    return optional_cell(share, [&](double one) { return percent_cell(one, derived(findings)); });
}

Cell share_of_ceiling(const RunFindings& findings, const StepBound& bound) {
    return bound.executes_fewer
               ? Cell(Missing{"fewer operations are executed than counted, nobody says how many"})
               : share_cell(findings, bound.achieved);
}

// A value computed from a step's time, if it has one.
template <class Text>
Cell of_time(const ShownStep& step, Text&& cell) {
    return step.time() ? as_cell(cell(*step.time())) : Cell(Missing{});
}

Cell predicted_cell(Seconds time, const PredictedInterval& interval) {
    return Number{.value = time.value,
                  .unit = "s",
                  .low = interval.low.value,
                  .high = interval.high.value,
                  .provenance = Provenance::modelled};
}

Cell time_of_step(const ShownStep& step) {
    const Origin origin = step.findings.run.origin;
    const Measurement& measurement = step.result().time;
    if (const auto& interval = step.result().interval; interval && step.time()) {
        return predicted_cell(step.time()->median, *interval);
    }
    return step.time() ? time_cell(*step.time(), times_of(origin))
                       : Cell(Missing{fmt::format("{}: {}", name_of(status_of(measurement, origin)),
                                                  reason_of(measurement))});
}

Cell rate_of_step(const ShownStep& step, double amount, const char* unit) {
    return of_time(step, [&](const Estimate& t) {
        return rate_cell(amount, t.median, unit, derived(step.findings));
    });
}

// The time of a pass's steps (or of all) at their ceilings over their actual time.
Cell ceilings_cell(const RunFindings& findings, std::optional<Pass> pass) {
    Reach reach;
    for (std::size_t i = 0; i < findings.run.steps.size(); ++i) {
        const StepResult& step = step_at(findings, i);
        if (!pass || step.pass == *pass) {
            reach.add(step, findings.summary.steps[i], findings.bounds[i]);
        }
    }
    return optional_cell(reach.achieved(),
                         [&](double share) { return percent_cell(share, derived(findings)); });
}

// The columns that people see, and for scripts all that is known about a step.
const Columns<ShownStep>& columns() {
    static const Columns<ShownStep> all = {
        {data_column("run"), [](auto& s) { return s.findings.run.id; }},
        {data_column("position"), &ShownStep::position},
        {{"layer", "layer", Importance::essential}, [](auto& s) { return s.result().layer; }},
        {data_column("alias"), [](auto& s) { return text_or_missing(s.result().alias); }},
        {data_column("operator"), [](auto& s) { return s.result().operation; }},
        {people_column("pass", "pass"), [](auto& s) { return pass_text(s.result()); }},
        {data_column("pass"), [](auto& s) { return s.result().pass; }},
        {data_column("kind"), [](auto& s) { return s.result().kind; }},
        {data_column("origin"), [](auto& s) { return s.findings.run.origin; }},
        {data_column("status"),
         [](auto& s) { return status_of(s.result().time, s.findings.run.origin); }},
        {data_column("reason"),
         [](auto& s) { return text_or_missing(reason_of(s.result().time)); }},
        {{"median_s", "time", Importance::essential, Audience::all, Bounds::interval},
         time_of_step},
        {data_column("basis"),
         [](auto& s) {
             const auto& interval = s.result().interval;
             return text_or_missing(interval ? interval->basis : "");
         }},
        {data_column("minimum_s"),
         [](auto& s) {
             return of_time(s, [&](const Estimate& t) {
                 return s.result().seen_in ? Cell(Missing{"its time is an average"})
                                           : time_cell(t.minimum);
             });
         }},
        {data_column("samples"),
         [](auto& s) { return of_time(s, [](const Estimate& t) { return t.samples; }); }},
        {data_column("seen_in"),
         [](auto& s) { return seen_cell(s.result(), &SeenIn::iterations); }},
        {data_column("of_iterations"), [](auto& s) { return seen_cell(s.result(), &SeenIn::of); }},
        {data_column("disturbed_samples"), delayed_samples_cell},
        {data_column("sample_use"),
         [](auto& s) { return of_time(s, [](const Estimate& t) { return t.use; }); }},
        {{"share", "share", Importance::essential},
         [](auto& s) {
             return of_time(s, [&](const Estimate&) {
                 return share_cell(s.findings, s.findings.summary.steps[s.position].share);
             });
         }},
        {data_column("stamp_share"),
         [](auto& s) {
             return share_cell(s.findings, s.findings.summary.steps[s.position].stamp_share);
         }},
        {data_column("launch_s"),
         [](auto& s) {
             return optional_cell(s.result().launch, [](Seconds launch) {
                 return time_cell(launch, Provenance::modelled);
             });
         }},
        {data_column("flops"), [](auto& s) { return s.result().flops; }},
        {data_column("bytes_read"), [](auto& s) { return s.result().read; }},
        {data_column("bytes_written"), [](auto& s) { return s.result().written; }},
        {data_column("workspace_bytes"), [](auto& s) { return s.result().workspace; }},
        {unit_column("flop_per_s", "FLOP/s"),
         [](auto& s) { return rate_of_step(s, s.result().flops.value, "FLOP/s"); }},
        {unit_column("byte_per_s", "B/s"),
         [](auto& s) { return rate_of_step(s, traffic_of(s.result()).value, "B/s"); }},
        {unit_column("flop_per_byte", "FLOP/B", Importance::detail),
         [](auto& s) {
             return of_time(s, [&](const Estimate&) {
                 return intensity_cell(s.result().flops, traffic_of(s.result()));
             });
         }},
        {{"ceiling_share", "ceiling", Importance::essential},
         [](auto& s) {
             return of_time(
                 s, [&](const Estimate&) { return share_of_ceiling(s.findings, s.bound()); });
         }},
        {{"bound", "bound", Importance::essential}, [](auto& s) { return s.bound().verdict; }},
        {data_column("ceiling"), [](auto& s) { return text_or_missing(s.bound().ceiling); }},
        {{"implementation", "implementation", Importance::detail},
         [](auto& s) { return s.result().implementation; }},
        {data_column("algorithm"), [](auto& s) { return s.result().algorithm; }},
        {data_column("layout"), [](auto& s) { return s.result().layout; }},
        {data_column("error"),
         [](auto& s) {
             return optional_cell(s.result().verified,
                                  [](const auto& found) { return as_cell(found.error); });
         }},
        {data_column("tolerance"),
         [](auto& s) {
             return optional_cell(s.result().verified,
                                  [](const auto& found) { return as_cell(found.tolerance); });
         }},
        {data_column("problem"), [](auto& s) { return s.result().problem; }}};
    return all;
}

// The columns that have a sum, by their keys.
const Columns<ShownPass>& sums() {
    static const Columns<ShownPass> all = {
        {data_column("layer"), [](auto& p) { return whole_name(p.findings); }},
        {data_column("pass"), [](auto& p) { return p.pass ? as_cell(*p.pass) : Cell(""); }},
        {data_column("median_s"),
         [](auto& p) {
             const RunFindings& found = p.findings;
             const bool is_whole =
                 found.summary.budget.is_whole && (!p.pass || found.summary.passes.size() == 1);
             return is_whole && found.run.interval
                        ? predicted_cell(p.total.time, *found.run.interval)
                        : time_cell(p.total.time, derived(found));
         }},
        {data_column("share"), [](auto& p) { return share_cell(p.findings, p.total.share); }},
        {data_column("flop_per_s"),
         [](auto& p) {
             return rate_cell(p.total.flops.value, p.total.time, "FLOP/s", derived(p.findings));
         }},
        {data_column("byte_per_s"),
         [](auto& p) {
             return rate_cell(p.total.traffic.value, p.total.time, "B/s", derived(p.findings));
         }},
        {data_column("flop_per_byte"),
         [](auto& p) { return intensity_cell(p.total.flops, p.total.traffic); }},
        {data_column("ceiling_share"), [](auto& p) { return ceilings_cell(p.findings, p.pass); }},
        {data_column("bound"), [](auto&) { return ""; }},
        {data_column("implementation"), [](auto&) { return ""; }}};
    return all;
}

std::vector<Cell> total_row(const ShownPass& pass) {
    std::vector<Cell> row;
    for (const auto& [column, cell] : columns()) {
        const auto sum =
            std::ranges::find(sums(), column.key, [](const auto& one) { return one.column.key; });
        const bool is_shown = column.key != "pass" || column.audience == Audience::people;
        row.push_back(sum != sums().end() && is_shown ? sum->cell(pass) : Cell(Missing{}));
    }
    return row;
}

PassTotal sum_of(const std::vector<PassTotal>& totals) {
    PassTotal sum;
    for (const auto& total : totals) {
        sum.time += total.time;
        add_share(sum.share, total.share);
        sum.flops += total.flops;
        sum.traffic += total.traffic;
    }
    return sum;
}

// Shows people the share of the time stamps if it matters for any step.
void explain_stamps(Table& table, const RunFindings& findings) {
    if (std::ranges::none_of(findings.summary.steps, &StepTime::is_near_empty)) {
        return;
    }
    Column& column = *std::ranges::find(table.columns, "stamp_share", &Column::key);
    column.title = "stamps";
    column.audience = Audience::all;
    if (findings.summary.budget.counts_calls()) {
        column.title = "call";
        table.notes.push_back(
            fmt::format("call: the cost of calling the framework for a step ({}) as a share of its "
                        "time. Above 10 % the time says little about the step.",
                        duration(*findings.run.empty_step)));
        return;
    }
    const bool can_trace =
        capabilities_of(findings.run.settings.backend).has(Capability::profiling);
    table.notes.push_back(fmt::format(
        "stamps: the cost of a step's time stamps ({}) as a share of its time. Above 10 % the time "
        "says little about the step{}.",
        duration(*findings.run.empty_step),
        findings.run.trace ? "; its kernels' own times are below"
        : can_trace        ? "; --trace has its kernels"
                           : ""));
}

// Shows people how many samples other programs delayed, if any.
void show_delays(Table& table, const RunFindings& findings) {
    const auto notes = delay_notes(findings);
    if (notes.empty()) {
        return;
    }
    Column& column = *std::ranges::find(table.columns, "disturbed_samples", &Column::key);
    column.title = "delayed";
    column.audience = Audience::all;
    table.notes.insert(table.notes.end(), notes.begin(), notes.end());
}

constexpr std::size_t max_rare_named = 4;

std::string seen_and_hidden(const Run& run, std::size_t shown) {
    return fmt::format("{} of {} steps are shown; the sums are over all steps.", shown,
                       run.steps.size());
}

}  // namespace

RunFindings findings_of(const Run& run) {
    return {.run = run, .summary = summarise(run), .bounds = bounds_of(run)};
}

std::vector<std::string> delay_notes(const RunFindings& findings) {
    std::size_t pooled = 0, inconclusive = 0, disturbed = 0;
    for (const StepTime& step : findings.summary.steps) {
        disturbed += step.time ? step.time->disturbed : 0;
        pooled += step.time && step.time->use == SampleUse::pooled ? 1U : 0U;
        inconclusive += is_inconclusive(step.time) ? 1U : 0U;
    }
    if (disturbed == 0) {
        return {};
    }
    std::vector<std::string> notes = {
        "delayed: samples during which a thread waited for a processor that another program held. "
        "The time comes from the other samples."};
    if (pooled > 0) {
        notes.push_back(
            fmt::format("{} of the steps had too few others and {} the samples of equal steps.",
                        pooled, pooled == 1 ? "has" : "have"));
    }
    if (inconclusive > 0) {
        notes.push_back(fmt::format(
            "{} of the steps had too few others, so {} the delays, and nothing is concluded from "
            "{}.",
            inconclusive, inconclusive == 1 ? "its time includes" : "their times include",
            inconclusive == 1 ? "it" : "them"));
    }
    return notes;
}

const char* whole_name(const RunFindings& findings) {
    return findings.summary.budget.is_whole ? "all" : "that ran";
}

void hide_unknown_shares(Table& table, const RunFindings& findings) {
    if (!findings.summary.budget.is_whole) {
        std::ranges::find(table.columns, "share", &Column::key)->audience = Audience::data;
    }
}

std::optional<std::string> rare_steps_text(const Run& run) {
    std::vector<std::string> rare;
    for (const StepResult& step : run.steps) {
        if (step.seen_in) {
            rare.push_back(fmt::format("{} in {} of {} iterations", printable(step.layer, 60),
                                       step.seen_in->iterations, step.seen_in->of));
        }
    }
    if (rare.empty()) {
        return std::nullopt;
    }
    const std::size_t all = rare.size();
    rare.resize(std::min(all, max_rare_named));
    return fmt::format(
        "{} of {} steps {} in some of the iterations only. The time is the sum over all "
        "iterations divided by their number: {}{}.",
        all, run.steps.size(), all == 1 ? "occurs" : "occur", join(rare, ", "),
        all > max_rare_named ? ", ..." : "");
}

void explain_rare(Table& table, const Run& run) {
    const auto text = rare_steps_text(run);
    if (!text) {
        return;
    }
    for (const auto& [key, title] :
         {std::pair("seen_in", "seen in"), std::pair("of_iterations", "of")}) {
        Column& column = *std::ranges::find(table.columns, key, &Column::key);
        column.title = title;
        column.audience = Audience::all;
    }
    table.notes.push_back("seen in: " + *text);
}

std::vector<Column> step_columns() {
    return headings(columns());
}

Table steps_table(const RunFindings& findings, const StepFilter& filter) {
    Table table{.columns = step_columns(), .records = "steps"};
    hide_unknown_shares(table, findings);
    const auto wanted = wanted_steps(findings.run, filter);
    for (const std::size_t i : wanted) {
        table.rows.push_back(cells_of(columns(), {findings, i}));
    }
    for (const auto& total : findings.summary.passes) {
        table.totals.push_back(total_row({findings, total, total.pass}));
    }
    if (findings.summary.passes.size() > 1) {
        table.totals.push_back(total_row({findings, sum_of(findings.summary.passes), {}}));
    }
    if (wanted.size() < findings.run.steps.size()) {
        table.notes.push_back(seen_and_hidden(findings.run, wanted.size()));
    }
    table.notes.push_back(fmt::format(
        "Rates use the convention {} and compulsory traffic. ceiling: the share of the bound that "
        "the step reaches; for sums, time at the ceilings over measured time.",
        findings.convention));
    table.notes.emplace_back("Sums add the steps' medians; the budget has the median of the sums.");
    if (findings.run.interval) {
        table.notes.emplace_back(
            "A predicted time's interval holds eight of ten measured times, by predictions that "
            "resemble it; data names them (basis).");
    }
    explain_stamps(table, findings);
    explain_rare(table, findings.run);
    show_delays(table, findings);
    return table;
}

Document steps_document(const RunFindings& findings, const StepFilter& filter) {
    Table table{.columns = step_columns(), .records = "steps"};
    auto wanted = wanted_steps(findings.run, filter);
    std::ranges::sort(wanted);  // the order of execution
    for (const std::size_t i : wanted) {
        table.rows.push_back(cells_of(columns(), {findings, i}));
    }
    return {.title = fmt::format("run {}", findings.run.id),
            .blocks = {std::move(table)},
            .kind = "run"};
}

Status status_of(Origin origin) {
    return origin == Origin::modelled   ? Status::predicted
           : origin == Origin::imported ? Status::imported
                                        : Status::measured;
}

Status status_of(const Measurement& measurement, Origin origin) {
    if (const auto* samples = std::get_if<Samples>(&measurement)) {
        return samples->values.empty() ? Status::skipped : status_of(origin);
    }
    return std::holds_alternative<Skipped>(measurement)    ? Status::skipped
           : std::holds_alternative<Failed>(measurement)   ? Status::failed
           : std::holds_alternative<Included>(measurement) ? Status::included
                                                           : Status::no_op;
}

std::string reason_of(const Measurement& measurement) {
    if (const auto* skipped = std::get_if<Skipped>(&measurement)) {
        return skipped->reason;
    }
    if (const auto* failed = std::get_if<Failed>(&measurement)) {
        return failed->reason;
    }
    if (const auto* included = std::get_if<Included>(&measurement)) {
        return included->step;
    }
    if (std::holds_alternative<NoOp>(measurement)) {
        return "its result is its input under another name";
    }
    return std::get<Samples>(measurement).values.empty() ? "no sample was taken" : "";
}

}  // namespace strata
