// SPDX-License-Identifier: MIT
#include "view/report.h"

#include "base/output.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "report/render.h"
#include "store/database.h"
#include "store/load.h"

#include <fmt/format.h>

#include <memory>

namespace strata {

namespace {

struct ReportOptions {
    std::vector<std::string> runs = {"last"};
    std::vector<std::string> by;
    std::string database;
    std::string file = "strata-report.html";
};

void report(const ReportOptions& options) {
    const auto by = parse_groupings(options.by);
    std::vector<Run> runs;
    for (const auto& name : options.runs) {
        runs.push_back(load_named_run(database_path(options.database), name));
    }
    OutputOptions output;
    output.file = options.file == "-" ? "" : options.file;
    Document document = report_document(runs, by);
    const std::string title = printable(document.title);
    emit(render_html(std::move(document)), output);
    if (!output.file.empty()) {
        write_remark(fmt::format("wrote {}: {}\n", output.file, title));
    }
}

}  // namespace

void add_report(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<ReportOptions>();
    CLI::App* verb = app.add_subcommand("report", "Write one self-contained HTML page about runs.");
    verb->footer(
        "strata report last -o alexnet.html\n"
        "strata report last~1 last -o f32-and-bf16.html   # what the second changed");
    verb->add_option("runs", options->runs,
                     "ids, last, last~1, or FILE:ID; several begin with a comparison: two runs of "
                     "one network side by side, runs that differ in one number as a sweep")
        ->type_name("RUN");
    add_by_option(*verb, options->by);
    add_database_option(*verb, options->database);
    verb->add_option("-o,--output", options->file, "the file to write; - is standard output")
        ->type_name("FILE");
    verb->callback([options] { report(*options); });
}

}  // namespace strata
