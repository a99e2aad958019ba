// SPDX-License-Identifier: MIT
#include "analyze/comparison_rates.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/sides.h"
#include "cli/verbs.h"
#include "store/database.h"
#include "store/load.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

namespace strata {

namespace {

struct CompareOptions {
    std::vector<std::string> sides;
    std::string margin = "2%";
    std::string fail_on;
    std::string database;
    SidesOptions measured;
    OutputOptions output;

    // A single word names a network: one run has nothing to be compared with.
    bool asks_to_measure() const {
        return sides.size() == 1 || !measured.backends.empty() || measured.rounds > 0;
    }
};

// The runs of one side: "12", or several of the same settings, "12,14,16".
std::vector<Run> side_named(const std::string& text, const CompareOptions& options) {
    std::vector<Run> runs;
    for (const std::string_view name : split(text, ',')) {
        runs.push_back(load_named_run(database_path(options.database), std::string(name)));
        const Run& first = runs.front();
        if (const auto differences = differences_between(first.settings, runs.back().settings);
            !differences.empty()) {
            throw Error(fmt::format("runs {} and {} of '{}' differ in {}: one side has runs of the "
                                    "same settings",
                                    first.id, runs.back().id, text, differences.front().name),
                        ExitCode::usage);
        }
    }
    return runs;
}

OwnedSides stored_sides(const CompareOptions& options) {
    OwnedSides sides;
    std::vector<Settings> settings;
    for (const std::string& side : options.sides) {
        sides.runs.push_back(side_named(side, options));
        settings.push_back(sides.runs.back().front().settings);
    }
    sides.names = names_of_sides(settings);
    sides.refusals.resize(sides.runs.size());
    return sides;
}

std::vector<Side> sides_to_measure(CompareOptions& options) {
    options.measured.network.networks = options.sides;
    std::vector<Side> sides = sides_of(options.measured);
    if (sides.size() < 2) {
        throw Error(
            "there is only one side to measure: give several --backends, or an option with several "
            "values, such as --algorithm direct,winograd",
            ExitCode::usage);
    }
    return sides;
}

// A side that cannot be measured is one result among others, as long as two can.
void require_two(std::size_t sides, const std::vector<std::string>& refusals) {
    if (sides - refusals.size() < 2) {
        throw Error(fmt::format("there are not two sides to compare: {}", join(refusals, "; ")),
                    ExitCode::machine_cannot);
    }
}

void require_two_measured(const std::vector<ComparedSide>& sides) {
    std::vector<std::string> refusals;
    for (const ComparedSide& side : sides) {
        if (side.runs.empty()) {
            refusals.push_back(fmt::format("{}: {}", side.name, side.refusal));
        }
    }
    require_two(sides.size(), refusals);
}

// Reports the sides that cannot be measured before the others are measured.
void tell_refused(const std::vector<Side>& sides) {
    const std::vector<std::string> names = names_of(sides);
    std::vector<std::string> refusals;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        if (!sides[i].refusal.empty()) {
            refusals.push_back(fmt::format(
                "{}: {}", names[i].empty() ? sides[i].job.backend : names[i], sides[i].refusal));
        }
    }
    require_two(sides.size(), refusals);
    for (const std::string& refusal : refusals) {
        say("the others are compared without {}", refusal);
    }
}

std::optional<OwnedSides> measured_sides(CompareOptions& options) {
    std::vector<Side> sides = sides_to_measure(options);
    {
        Session session(when_locked(options.measured.no_wait), options.database);
        refuse_what_cannot_run(session, sides);
        tell_refused(sides);
        take_tunings(session, sides, options.measured);
    }  // other processes measure
    return measured(std::move(sides), options.measured, database_path(options.database));
}

// The exit code of one side beside the baseline. A gate fails beyond the rules' margin, and reports
// why it does not pass.
ExitCode judge(const ComparedRuns& runs, bool is_gate, const ComparisonRules& rules) {
    const Comparison comparison = compare(runs.before, runs.after, rules);
    if (!comparison.refusal.empty()) {
        return ExitCode::failed;
    }
    if (!is_gate) {
        return ExitCode::done;
    }
    const Gate gate = gate_of(comparison, rules.margin);
    if (gate.result == GateResult::passes) {
        return ExitCode::done;
    }
    say("{}", gate_sentence(gate, comparison, runs));
    return gate.result == GateResult::fails ? ExitCode::regression : ExitCode::unstable;
}

// For several sides: "slower" takes precedence over "cannot be judged".
ExitCode judge(const std::vector<ComparedSide>& sides, bool is_gate, const ComparisonRules& rules) {
    constexpr std::array in_order = {ExitCode::regression, ExitCode::failed, ExitCode::unstable};
    const auto baseline =
        std::ranges::find_if(sides, [](const ComparedSide& side) { return !side.runs.empty(); });
    std::vector<ExitCode> exits;
    for (const ComparedSide& side : sides) {
        if (side.runs.empty() && is_gate) {
            say("--fail-on cannot be judged: {} was not measured: {}", side.name, side.refusal);
            exits.push_back(ExitCode::unstable);
        } else if (!side.runs.empty() && &side != &*baseline) {
            exits.push_back(judge({baseline->runs, side.runs}, is_gate, rules));
        }
    }
    const auto worst = std::ranges::find_if(
        in_order, [&](ExitCode code) { return std::ranges::find(exits, code) != exits.end(); });
    return worst == in_order.end() ? ExitCode::done : *worst;
}

// The spread measured on this machine, if all runs are from it.
AssumedSpread spread_for(const std::vector<ComparedSide>& sides) {
    const auto rates = own_comparison_rates();
    const bool holds = rates && std::ranges::all_of(sides, [&](const ComparedSide& side) {
                           return std::ranges::all_of(
                               side.runs, [&](const Run& run) { return holds_for(*rates, run); });
                       });
    return holds ? spread_of(*rates) : AssumedSpread{};
}

// Only a page or a terminal shows paragraphs.
void add_rates_of_this_machine(Document& document) {
    if (const auto rates = own_comparison_rates()) {
        document.blocks.emplace_back(Paragraph{sentence_on(*rates)});
    }
}

void compare_sides(CompareOptions options, ExitCode& exit) {
    ComparisonRules rules{.margin = share_named(options.margin, "--margin")};
    const bool is_gate = !options.fail_on.empty();
    const double limit = is_gate ? share_named(options.fail_on, "--fail-on") : rules.margin;
    const bool asks_to_measure = options.asks_to_measure();
    measure_until_known(options.measured, rules);
    const auto sides =
        asks_to_measure ? measured_sides(options) : std::optional(stored_sides(options));
    if (!sides) {
        exit = ExitCode::interrupted;
        return;
    }
    const std::vector<ComparedSide> compared = sides->compared();
    rules.spread = spread_for(compared);
    if (options.output.json) {
        emit_json("compare", comparisons_json(compared, rules), options.output);
    } else {
        require_two_measured(compared);
        std::vector<Document> documents = comparison_documents(compared, rules);
        add_rates_of_this_machine(documents.back());
        emit(documents, options.output);
    }
    rules.margin = limit;
    exit = judge(compared, is_gate, rules);
}

}  // namespace

void add_compare(CLI::App& app, ExitCode& exit) {
    auto options = std::make_shared<CompareOptions>();
    CLI::App* verb =
        app.add_subcommand("compare",
                           "Compare runs layer by layer: faster, slower, the same, or cannot tell; "
                           "given a network, measure the runs first, in turn.");
    verb->footer(
        "strata compare last~1 last\n"
        "strata compare 12,14,16 13,15,17                 # three processes a side, in turn\n"
        "strata compare baseline last --fail-on 3%        # exit code 5 if it got slower\n"
        "strata compare old.sqlite:7 last --html -o versions.html\n"
        "strata compare alexnet --batch 32 --backends onednn,pytorch   # measured now, in turn\n"
        "strata compare alexnet --algorithm direct,winograd --rounds 7");
    verb->add_option("runs", options->sides,
                     "two or more sides, each compared with the first: an id, last, last~1, a tag "
                     "or FILE:ID, or several runs of the same settings, separated by commas; or a "
                     "network to measure, with several --backends or values of an option")
        ->type_name("RUN[,RUN...]|NETWORK")
        ->required()
        ->expected(1, 1000);
    add_option(*verb, "--margin", options->margin, "differences up to this do not matter")
        ->type_name("PERCENT");
    add_option(*verb, "--fail-on", options->fail_on,
               "exit with code 5 if the whole (for profiles, the sum of the steps) is slower by "
               "more than this, and with 4 if these samples cannot tell")
        ->check(not_empty())
        ->type_name("PERCENT");
    add_database_option(*verb, options->database);
    add_sides_options(*verb, options->measured, RoundLimits());
    add_output_options(*verb, options->output);
    verb->callback([options, &exit] { compare_sides(*options, exit); });
}

}  // namespace strata
