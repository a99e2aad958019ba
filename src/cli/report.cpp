// SPDX-License-Identifier: MIT
#include "view/report.h"

#include "cli/options.h"
#include "cli/verbs.h"
#include "report/html.h"
#include "store/database.h"
#include "store/load.h"

#include <fmt/format.h>

#include <memory>

namespace strata {

namespace {

struct ReportOptions {
    std::vector<std::string> runs = {"last"};
    std::string database;
    std::string file = "strata-report.html";
};

void report(const ReportOptions& options) {
    std::vector<Run> runs;
    for (const auto& name : options.runs) {
        runs.push_back(load_named_run(database_path(options.database), name));
    }
    OutputOptions output;
    output.file = options.file == "-" ? "" : options.file;
    emit(render_html(report_document(runs)), output);
    if (!output.file.empty()) {
        fmt::print(stderr, "wrote {}\n", output.file);
    }
}

}  // namespace

void add_report(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<ReportOptions>();
    CLI::App* verb = app.add_subcommand("report", "One self-contained HTML file about runs.");
    verb->footer("strata report last -o alexnet.html");
    verb->add_option("runs", options->runs, "ids, last, last~1, or FILE:ID")->type_name("RUN");
    add_database_option(*verb, options->database);
    verb->add_option("-o,--output", options->file, "the file to write; - for standard output")
        ->type_name("FILE");
    verb->callback([options] { report(*options); });
}

}  // namespace strata
