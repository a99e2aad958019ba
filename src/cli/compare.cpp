// SPDX-License-Identifier: MIT
#include "view/compare.h"

#include "base/text.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "store/database.h"
#include "store/load.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace strata {

namespace {

struct CompareOptions {
    std::vector<std::string> sides;
    std::string margin = "2%";
    std::string fail_on;
    std::string database;
    OutputOptions output;
};

// "2%", "2 %", "0.5%"
double share_named(const std::string& text, std::string_view flag) {
    std::string number = text;
    while (!number.empty() && (number.back() == '%' || number.back() == ' ')) {
        number.pop_back();
    }
    const auto value = parse_number(number);
    if (!value || *value < 0 || *value > 1000 || number.size() == text.size()) {
        throw Error(fmt::format("{} takes a percentage such as 2%, not '{}'", flag, text),
                    ExitCode::usage);
    }
    return *value / 100;
}

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

// A slow-down beyond the limit, in one sentence; empty: there is none.
std::string regression_sentence(const ComparedRuns& runs, double limit) {
    const Comparison comparison = compare(runs.before, runs.after, {.margin = limit});
    if (comparison.whole.verdict == Verdict::slower) {
        return fmt::format("{} --fail-on allows {:.2g} %.", comparison_lead(comparison, runs),
                           100 * limit);
    }
    return {};
}

void show_comparisons(const std::vector<std::vector<Run>>& sides, const ComparisonRules& rules,
                      const OutputOptions& output) {
    if (output.json) {
        emit_json("compare", comparison_json({sides[0], sides[1]}, rules), output);
        return;
    }
    std::vector<Document> documents;
    for (std::size_t i = 1; i < sides.size(); ++i) {
        documents.push_back(comparison_document({sides.front(), sides[i]}, rules));
    }
    emit(documents, output);
}

void compare_sides(const CompareOptions& options, ExitCode& exit) {
    const ComparisonRules rules{.margin = share_named(options.margin, "--margin")};
    if (options.output.json && options.sides.size() > 2) {
        throw Error("--json compares two sides: give the others in commands of their own",
                    ExitCode::usage);
    }
    const double limit = options.fail_on.empty() ? 0 : share_named(options.fail_on, "--fail-on");
    std::vector<std::vector<Run>> sides;
    for (const std::string& side : options.sides) {
        sides.push_back(side_named(side, options));
    }
    show_comparisons(sides, rules, options.output);
    for (std::size_t i = 1; i < sides.size(); ++i) {
        const ComparedRuns runs{sides.front(), sides[i]};
        if (const std::string refusal = compare(runs.before, runs.after, rules).refusal;
            !refusal.empty()) {
            exit = ExitCode::failed;
        } else if (const std::string sentence =
                       options.fail_on.empty() ? "" : regression_sentence(runs, limit);
                   !sentence.empty()) {
            fmt::print(stderr, "strata: {}\n", sentence);
            exit = ExitCode::regression;
        }
    }
}

}  // namespace

void add_compare(CLI::App& app, ExitCode& exit) {
    auto options = std::make_shared<CompareOptions>();
    CLI::App* verb = app.add_subcommand(
        "compare", "Compare stored runs layer by layer: faster, slower, the same, or cannot tell.");
    verb->footer(
        "strata compare last~1 last\n"
        "strata compare 12,14,16 13,15,17                 # three processes a side, in turn\n"
        "strata compare baseline last --fail-on 3%        # exit code 5 if the network got slower\n"
        "strata compare old.sqlite:7 last --html -o versions.html");
    verb->add_option("runs", options->sides,
                     "two or more; each is compared with the first: an id, last, last~1, a tag or "
                     "FILE:ID, or several of the same settings, separated by commas")
        ->type_name("RUN[,RUN...]")
        ->required()
        ->expected(2, 1000);
    add_option(*verb, "--margin", options->margin, "differences up to this do not matter")
        ->type_name("PERCENT");
    add_option(*verb, "--fail-on", options->fail_on,
               "exit with code 5 if the whole is slower by more than this")
        ->type_name("PERCENT");
    add_database_option(*verb, options->database);
    add_output_options(*verb, options->output);
    verb->callback([options, &exit] { compare_sides(*options, exit); });
}

}  // namespace strata
