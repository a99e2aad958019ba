// SPDX-License-Identifier: MIT
#include "cli/options.h"
#include "cli/verbs.h"
#include "store/database.h"
#include "store/load.h"
#include "view/run.h"

#include <memory>

namespace strata {

namespace {

struct ExportOptions {
    std::string run = "last";
    std::string database;
    OutputOptions output;
};

void export_run(const ExportOptions& options) {
    const Run run = load_named_run(database_path(options.database), options.run);
    if (options.output.json) {
        emit(run_json(run), options.output);
        return;
    }
    OutputOptions output = options.output;
    output.csv = !output.markdown;
    emit(steps_document(run), output);
}

}  // namespace

void add_export(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<ExportOptions>();
    CLI::App* verb = app.add_subcommand("export", "A stored run as CSV (the default) or JSON.");
    verb->footer("Example: strata export last --json -o run.json");
    verb->add_option("run", options->run, "an id, last, last~1, or FILE:ID");
    add_option(*verb, "--database", options->database, "the database of runs");
    add_output_options(*verb, options->output);
    verb->callback([options] { export_run(*options); });
}

}  // namespace strata
