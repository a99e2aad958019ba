// SPDX-License-Identifier: MIT
#include "cli/options.h"
#include "cli/results.h"
#include "cli/verbs.h"
#include "store/database.h"
#include "store/load.h"
#include "view/steps.h"

#include <memory>

namespace strata {

namespace {

struct ExplainOptions {
    std::vector<std::string> runs = {"last"};
    std::string database;
    std::string layers;
    std::string passes;
    std::vector<std::string> by;
    bool shows_all = false;
    std::string convention{conventions().front().name};
    OutputOptions output;
};

void explain(const ExplainOptions& options) {
    const auto by = parse_groupings(options.by);
    require_columns(by.empty() ? step_columns() : rollup_columns(by), options.output);
    ResultPrinter printer({.output = options.output,
                           .convention = find_convention(options.convention),
                           .by = by,
                           .filter = {options.layers, options.passes},
                           .shows_all = options.shows_all});
    for (const std::string& name : options.runs) {
        printer.add({load_named_run(database_path(options.database), name)}, {});
    }
    printer.finish();
}

}  // namespace

void add_explain(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<ExplainOptions>();
    CLI::App* verb = app.add_subcommand(
        "explain", "Show a stored run again: where its time goes, why, and what to try.");
    verb->footer(
        "strata explain last --by operator\n"
        "strata explain last --by block,layer\n"
        "strata explain 17 --layer 'conv*' --pass forward");
    verb->add_option("runs", options->runs, "ids, last, last~1, or FILE:ID")->type_name("RUN");
    add_option(*verb, "--layer", options->layers, "only layers matching this glob")
        ->type_name("GLOB");
    add_option(*verb, "--pass", options->passes, "only these passes, separated by commas")
        ->type_name("forward|backward-data|backward-weights|update");
    add_by_option(*verb, options->by);
    add_all_option(*verb, options->shows_all);
    add_option(*verb, "--convention", options->convention,
               "convention for counting operations (see `strata list conventions`)")
        ->type_name("NAME");
    add_database_option(*verb, options->database);
    add_output_options(*verb, options->output);
    verb->callback([options] { explain(*options); });
}

}  // namespace strata
