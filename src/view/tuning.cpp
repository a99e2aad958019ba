// SPDX-License-Identifier: MIT
#include "view/tuning.h"

#include "base/enumeration.h"
#include "base/text.h"
#include "view/cells.h"
#include "view/columns.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

const TuningTrial* trial_of(const TuningOutcome& outcome, const TunedPass& pass) {
    const auto found = std::ranges::find_if(outcome.trials, [&](const TuningTrial& trial) {
        return trial.problem == pass.problem && trial.pass == pass.pass &&
               trial.algorithm == pass.algorithm && trial.ratio;
    });
    return found == outcome.trials.end() ? nullptr : &*found;
}

const TunablePass* tunable_of(const TuningOutcome& outcome, const ProblemPass& key) {
    const auto found = std::ranges::find(outcome.tunable, key, &TunablePass::key);
    return found == outcome.tunable.end() ? nullptr : &*found;
}

std::string layer_text(const TunablePass& pass) {
    return pass.layers == 1 ? printable(pass.name)
                            : fmt::format("{} and {} more", printable(pass.name), pass.layers - 1);
}

// Why a pass keeps its usual algorithm.
const char* reason_of(const TuningOutcome& outcome, const TunedPass& pass) {
    if (pass.candidates == 0) {
        return "no candidate was measured";
    }
    return outcome.is_kept ? "no candidate was surely faster"
                           : "the whole step is not surely faster";
}

// A choice, and what it was chosen from.
struct ShownChoice {
    const Settings& settings;
    const TuningOutcome& outcome;
    const TunedPass& pass;

    const TunablePass* tunable() const { return tunable_of(outcome, {pass.problem, pass.pass}); }
    const TuningTrial* trial() const { return trial_of(outcome, pass); }
};

Cell time_of(const TuningTrial* trial, Seconds TuningTrial::*time) {
    return trial == nullptr ? Cell(Missing{}) : time_cell(trial->*time, Provenance::measured);
}

const Columns<ShownChoice>& columns_of_choices() {
    static const Columns<ShownChoice> all = {
        {data_column("network"), [](auto& row) { return row.settings.network; }},
        {data_column("batch"), [](auto& row) { return row.settings.batch; }},
        {people_column("layer", "layer"),
         [](auto& row) {
             return row.tunable() == nullptr ? std::string() : layer_text(*row.tunable());
         }},
        {data_column("layer"),
         [](auto& row) {
             return row.tunable() == nullptr ? Cell(Missing{}) : row.tunable()->name;
         }},
        {{"pass", "pass", Importance::essential}, [](auto& row) { return row.pass.pass; }},
        {{"algorithm", "algorithm", Importance::essential},
         [](auto& row) { return name_of(row.pass.algorithm); }},
        {{"implementation", "implementation", Importance::detail},
         [](auto& row) { return row.pass.implementation; }},
        {{"usual_s", "usual"}, [](auto& row) { return time_of(row.trial(), &TuningTrial::usual); }},
        {{"own_s", "own"}, [](auto& row) { return time_of(row.trial(), &TuningTrial::own); }},
        {{"ratio", "time / usual", Importance::essential, Audience::all, Bounds::interval},
         [](auto& row) {
             return optional_cell(row.pass.ratio, ratio_cell, reason_of(row.outcome, row.pass));
         }},
        {{"candidates", "candidates"}, [](auto& row) { return row.pass.candidates; }},
        {data_column("problem"), [](auto& row) { return row.pass.problem; }}};
    return all;
}

Table choices_table(const Settings& settings, const TuningOutcome& outcome) {
    std::vector<ShownChoice> rows;
    for (const TunedPass& pass : outcome.passes) {
        rows.push_back({settings, outcome, pass});
    }
    Table rest{
        .title = fmt::format("{}, batch {}, {}, {}, {} thread{}: the algorithms of {} "
                             "passes of different convolutions and linear layers, tuned",
                             printable(settings.network), settings.batch,
                             name_of(settings.execution.numerics.mode),
                             name_of(settings.execution.numerics.dtype), settings.threads(),
                             settings.threads() == 1 ? "" : "s", outcome.passes.size()),
        .notes = {"usual: what the engine chooses untuned. Times "
                  "are those of a pass in the running network, with the reorders and sums that it "
                  "needs; the ratio is with all choices applied."},
        .records = "tunings"};
    Table table = table_of(columns_of_choices(), rows, std::move(rest));
    add_origin(table, Origin::measured);
    return table;
}

Table trials_table(const TuningOutcome& outcome) {
    Table table{.title = "Candidates against the usual algorithm",
                .columns = {{"layer", "layer", Importance::essential},
                            {"pass", "pass", Importance::essential},
                            {"algorithm", "algorithm", Importance::essential},
                            {"implementation", "implementation", Importance::detail},
                            {"usual_s", "usual"},
                            {"own_s", "own"},
                            {"ratio", "time / usual", Importance::essential, Audience::all,
                             Bounds::interval},
                            {"rounds", "rounds"}},
                .folding = Folding::folded};
    for (const TuningTrial& trial : outcome.trials) {
        const TunablePass* tunable = tunable_of(outcome, {trial.problem, trial.pass});
        if (tunable != nullptr && trial.ratio) {
            table.rows.push_back({layer_text(*tunable), std::string(name_of(trial.pass)),
                                  std::string(name_of(trial.algorithm)), trial.implementation,
                                  time_cell(trial.usual, Provenance::measured),
                                  time_cell(trial.own, Provenance::measured),
                                  ratio_cell(*trial.ratio),
                                  count_cell(static_cast<double>(trial.rounds))});
        }
    }
    return table;
}

std::string sentence_on_whole(const TuningOutcome& outcome) {
    if (outcome.unconfirmed > 0) {
        return fmt::format(
            "There was no time to measure together the {} pass{} in which an algorithm gains: none "
            "of them is used until the same command has measured them.",
            outcome.unconfirmed, outcome.unconfirmed == 1 ? "" : "es");
    }
    if (!outcome.whole || !outcome.usual) {
        return "No candidate was surely faster than the usual algorithm anywhere.";
    }
    return fmt::format(
        "All choices together: the step takes {:.3f} ({:.3f} to {:.3f}) of the "
        "usual {:.4g} ms{}.",
        outcome.whole->value, outcome.whole->low, outcome.whole->high, outcome.usual->value * 1e3,
        outcome.is_kept ? "" : ", so none of them is kept");
}

std::string sentence_on_time(const TuningOutcome& outcome) {
    std::vector<std::string> left;
    if (outcome.untried > 0) {
        left.push_back(
            fmt::format("{} algorithm{}", outcome.untried, outcome.untried == 1 ? "" : "s"));
    }
    if (outcome.unchecked > 0) {
        left.push_back(fmt::format("the rounding errors of {} that {} faster", outcome.unchecked,
                                   outcome.unchecked == 1 ? "is" : "are"));
    }
    const std::string spent = fmt::format("Tuned in {:.1f} s.", outcome.spent.value);
    return left.empty() ? spent
                        : fmt::format(
                              "{} There was no time for {}: run the same command again to try "
                              "them, or raise --tune-time.",
                              spent, join(left, " and "));
}

}  // namespace

std::vector<Column> tuning_columns() {
    return headings(columns_of_choices());
}

Document tuning_document(const Settings& settings, const TuningOutcome& outcome) {
    Document document{.kind = "tune"};
    document.blocks.emplace_back(choices_table(settings, outcome));
    document.blocks.emplace_back(
        Paragraph{sentence_on_whole(outcome) + " " + sentence_on_time(outcome)});
    document.blocks.emplace_back(trials_table(outcome));
    return document;
}

}  // namespace strata
