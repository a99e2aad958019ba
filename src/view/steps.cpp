// SPDX-License-Identifier: MIT
#include "view/steps.h"

#include "analyze/advice.h"
#include "analyze/rollup.h"
#include "view/cells.h"

#include "base/enumeration.h"
#include "base/text.h"
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

// A column with its cell for a step, and for all steps of a pass together.
struct StepColumn {
    Column column;
    Cell (*cell)(const RunFindings& findings, std::size_t step);
    Cell (*total)(const RunFindings& findings, const PassTotal& total) = nullptr;
};

const StepResult& step_at(const RunFindings& findings, std::size_t i) {
    return findings.run.steps[i];
}

// Empty unless delays by other programs were observed.
Cell delayed_samples_cell(const RunFindings& findings, std::size_t i) {
    const auto& time = findings.summary.steps[i].time;
    const auto* samples = std::get_if<Samples>(&step_at(findings, i).time);
    return time && samples != nullptr && !samples->disturbed.empty()
               ? count_cell(static_cast<double>(time->disturbed))
               : Cell(Missing{});
}

Provenance derived(const RunFindings& findings) {
    return derived_from(findings.run.origin);
}

Cell share_cell(const RunFindings& findings, std::optional<double> share) {
    return optional_cell(share, [&](double one) { return percent_cell(one, derived(findings)); });
}

// A value computed from a step's time, if it has one.
template <class Text>
Cell of_time(const RunFindings& findings, std::size_t i, Text&& cell) {
    const auto& time = findings.summary.steps[i].time;
    return time ? cell(*time) : Cell(Missing{});
}

Cell time_of_step(const RunFindings& findings, std::size_t i) {
    const auto& time = findings.summary.steps[i].time;
    const Measurement& measurement = step_at(findings, i).time;
    return time ? time_cell(*time, times_of(findings.run.origin))
                : Cell(Missing{fmt::format("{}: {}",
                                           name_of(status_of(measurement, findings.run.origin)),
                                           reason_of(measurement))});
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
std::vector<StepColumn> all_columns() {
    return {
        {data_column("run"), [](const RunFindings& f,
                                std::size_t) { return count_cell(static_cast<double>(f.run.id)); }},
        {data_column("position"),
         [](const RunFindings&, std::size_t i) { return count_cell(static_cast<double>(i)); }},
        {{"layer", "layer", Importance::essential},
         [](const RunFindings& f, std::size_t i) { return Cell(step_at(f, i).layer); },
         [](const RunFindings& f, const PassTotal&) { return Cell(whole_name(f)); }},
        {data_column("alias"),
         [](const RunFindings& f, std::size_t i) { return text_or_missing(step_at(f, i).alias); }},
        {data_column("operator"),
         [](const RunFindings& f, std::size_t i) { return Cell(step_at(f, i).operation); }},
        {people_column("pass", "pass"),
         [](const RunFindings& f, std::size_t i) { return Cell(pass_text(step_at(f, i))); },
         [](const RunFindings&, const PassTotal& t) { return Cell(std::string(name_of(t.pass))); }},
        {data_column("pass"),
         [](const RunFindings& f, std::size_t i) {
             return Cell(std::string(name_of(step_at(f, i).pass)));
         }},
        {data_column("kind"),
         [](const RunFindings& f, std::size_t i) {
             return Cell(std::string(name_of(step_at(f, i).kind)));
         }},
        {data_column("origin"),
         [](const RunFindings& f, std::size_t) {
             return Cell(std::string(name_of(f.run.origin)));
         }},
        {data_column("status"),
         [](const RunFindings& f, std::size_t i) {
             return Cell(std::string(name_of(status_of(step_at(f, i).time, f.run.origin))));
         }},
        {data_column("reason"),
         [](const RunFindings& f, std::size_t i) {
             return text_or_missing(reason_of(step_at(f, i).time));
         }},
        {{"median_s", "time", Importance::essential, Audience::all, Bounds::interval},
         time_of_step,
         [](const RunFindings& f, const PassTotal& t) { return time_cell(t.time, derived(f)); }},
        {data_column("minimum_s"),
         [](const RunFindings& f, std::size_t i) {
             return of_time(f, i, [&](const Estimate& t) {
                 return step_at(f, i).seen_in ? Cell(Missing{"its time is an average"})
                                              : time_cell(t.minimum);
             });
         }},
        {data_column("samples"),
         [](const RunFindings& f, std::size_t i) {
             return of_time(f, i, [](const Estimate& t) {
                 return count_cell(static_cast<double>(t.samples));
             });
         }},
        {data_column("seen_in"),
         [](const RunFindings& f, std::size_t i) {
             return seen_cell(step_at(f, i), &SeenIn::iterations);
         }},
        {data_column("of_iterations"),
         [](const RunFindings& f, std::size_t i) { return seen_cell(step_at(f, i), &SeenIn::of); }},
        {data_column("disturbed_samples"),
         [](const RunFindings& f, std::size_t i) { return delayed_samples_cell(f, i); }},
        {data_column("sample_use"),
         [](const RunFindings& f, std::size_t i) {
             return of_time(f, i,
                            [](const Estimate& t) { return Cell(std::string(name_of(t.use))); });
         }},
        {{"share", "share", Importance::essential},
         [](const RunFindings& f, std::size_t i) {
             return of_time(
                 f, i, [&](const Estimate&) { return share_cell(f, f.summary.steps[i].share); });
         },
         [](const RunFindings& f, const PassTotal& t) { return share_cell(f, t.share); }},
        {data_column("stamp_share"),
         [](const RunFindings& f, std::size_t i) {
             return share_cell(f, f.summary.steps[i].stamp_share);
         }},
        {data_column("flops"),
         [](const RunFindings& f, std::size_t i) { return flops_cell(step_at(f, i).flops); }},
        {data_column("bytes_read"),
         [](const RunFindings& f, std::size_t i) { return bytes_cell(step_at(f, i).read); }},
        {data_column("bytes_written"),
         [](const RunFindings& f, std::size_t i) { return bytes_cell(step_at(f, i).written); }},
        {data_column("workspace_bytes"),
         [](const RunFindings& f, std::size_t i) { return bytes_cell(step_at(f, i).workspace); }},
        {unit_column("flop_per_s", "FLOP/s"),
         [](const RunFindings& f, std::size_t i) {
             return of_time(f, i, [&](const Estimate& t) {
                 return rate_cell(step_at(f, i).flops.value, t.median, "FLOP/s", derived(f));
             });
         },
         [](const RunFindings& f, const PassTotal& t) {
             return rate_cell(t.flops.value, t.time, "FLOP/s", derived(f));
         }},
        {unit_column("byte_per_s", "B/s"),
         [](const RunFindings& f, std::size_t i) {
             return of_time(f, i, [&](const Estimate& t) {
                 return rate_cell(traffic_of(step_at(f, i)).value, t.median, "B/s", derived(f));
             });
         },
         [](const RunFindings& f, const PassTotal& t) {
             return rate_cell(t.traffic.value, t.time, "B/s", derived(f));
         }},
        {unit_column("flop_per_byte", "FLOP/B", Importance::detail),
         [](const RunFindings& f, std::size_t i) {
             return of_time(f, i, [&](const Estimate&) {
                 return intensity_cell(step_at(f, i).flops, traffic_of(step_at(f, i)));
             });
         },
         [](const RunFindings&, const PassTotal& t) { return intensity_cell(t.flops, t.traffic); }},
        {{"ceiling_share", "ceiling", Importance::essential},
         [](const RunFindings& f, std::size_t i) {
             return of_time(f, i, [&](const Estimate&) {
                 return optional_cell(f.bounds[i].achieved, [&](double share) {
                     return percent_cell(share, derived(f));
                 });
             });
         },
         [](const RunFindings& f, const PassTotal& t) { return ceilings_cell(f, t.pass); }},
        {{"bound", "bound", Importance::essential},
         [](const RunFindings& f, std::size_t i) {
             return Cell(std::string(name_of(f.bounds[i].verdict)));
         },
         [](const RunFindings&, const PassTotal&) { return Cell(""); }},
        {data_column("ceiling"),
         [](const RunFindings& f, std::size_t i) { return text_or_missing(f.bounds[i].ceiling); }},
        {{"implementation", "implementation", Importance::detail},
         [](const RunFindings& f, std::size_t i) { return Cell(step_at(f, i).implementation); },
         [](const RunFindings&, const PassTotal&) { return Cell(""); }},
        {data_column("algorithm"),
         [](const RunFindings& f, std::size_t i) { return Cell(step_at(f, i).algorithm); }},
        {data_column("layout"),
         [](const RunFindings& f, std::size_t i) { return Cell(step_at(f, i).layout); }},
        {data_column("error"),
         [](const RunFindings& f, std::size_t i) {
             return optional_cell(step_at(f, i).verified,
                                  [](const auto& found) { return number_cell(found.error, ""); });
         }},
        {data_column("tolerance"),
         [](const RunFindings& f, std::size_t i) {
             return optional_cell(step_at(f, i).verified, [](const auto& found) {
                 return number_cell(found.tolerance, "");
             });
         }},
        {data_column("problem"),
         [](const RunFindings& f, std::size_t i) { return Cell(step_at(f, i).problem); }}};
}

const std::vector<StepColumn>& columns() {
    static const std::vector<StepColumn> all = all_columns();
    return all;
}

std::vector<Cell> row_of(const RunFindings& findings, std::size_t i) {
    std::vector<Cell> row;
    for (const StepColumn& column : columns()) {
        row.push_back(column.cell(findings, i));
    }
    return row;
}

std::vector<Cell> pass_total(const RunFindings& findings, const PassTotal& total) {
    std::vector<Cell> row;
    for (const StepColumn& column : columns()) {
        row.push_back(column.total != nullptr ? column.total(findings, total) : Cell(Missing{}));
    }
    return row;
}

// The sum over all passes names no pass.
std::vector<Cell> grand_total(const RunFindings& findings, const PassTotal& total) {
    std::vector<Cell> row = pass_total(findings, total);
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (columns()[i].column.key == "pass") {
            row[i] = "";
        }
        if (columns()[i].column.key == "ceiling_share") {
            row[i] = ceilings_cell(findings, {});
        }
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
    if (!findings.summary.budget.apart.empty()) {
        column.title = "call";
        table.notes.push_back(
            fmt::format("call: the cost of calling the framework for a step ({}) as a share of its "
                        "time. Above 10 % the time says little about the step.",
                        duration(*findings.run.empty_step)));
        return;
    }
    table.notes.push_back(fmt::format(
        "stamps: the cost of a step's time stamps ({}) as a share of its time. Above 10 % the time "
        "says little about the step{}.",
        duration(*findings.run.empty_step),
        findings.run.trace ? "; its kernels' own times are below" : "; --trace has its kernels"));
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
    std::vector<Column> shown;
    std::ranges::transform(columns(), std::back_inserter(shown), &StepColumn::column);
    return shown;
}

Table steps_table(const RunFindings& findings, const StepFilter& filter) {
    Table table{.columns = step_columns(), .records = "steps"};
    hide_unknown_shares(table, findings);
    const auto wanted = wanted_steps(findings.run, filter);
    for (const std::size_t i : wanted) {
        table.rows.push_back(row_of(findings, i));
    }
    for (const auto& total : findings.summary.passes) {
        table.totals.push_back(pass_total(findings, total));
    }
    if (findings.summary.passes.size() > 1) {
        table.totals.push_back(grand_total(findings, sum_of(findings.summary.passes)));
    }
    if (wanted.size() < findings.run.steps.size()) {
        table.notes.push_back(seen_and_hidden(findings.run, wanted.size()));
    }
    table.notes.push_back(fmt::format(
        "Rates use the convention {} and compulsory traffic. ceiling: the share of the bound that "
        "the step reaches; for sums, time at the ceilings over measured time.",
        findings.convention));
    table.notes.emplace_back("Sums add the steps' medians; the budget has the median of the sums.");
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
        table.rows.push_back(row_of(findings, i));
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
