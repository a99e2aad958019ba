// SPDX-License-Identifier: MIT
#include "store/merge.h"

#include "base/output.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/verbs.h"

#include <fmt/format.h>

#include <memory>

namespace strata {

namespace {

struct MergeOptions {
    std::vector<std::string> files;
    std::string database;
};

std::string counted(std::size_t count, std::string_view one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

void merge_all(const MergeOptions& options) {
    for (const std::string& file : options.files) {
        Database::open_existing(file);  // a wrong name ends here, before a database is created
    }
    const Database into = Database::open(database_path(options.database));
    for (const std::string& file : options.files) {
        const Merged merged = merge_database(into, file);
        print_output("{}: {} new, {} known, {} partial left out; outcomes of {}\n",
                     printable(file, 1000), counted(merged.runs, "run"), merged.known,
                     merged.partial, counted(merged.points, "point"));
    }
}

}  // namespace

void add_merge(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<MergeOptions>();
    CLI::App* verb = app.add_subcommand(
        "merge",
        "Copy the runs and sweeps of other databases into one; repeating it changes nothing.");
    verb->footer("strata merge node1.sqlite node2.sqlite --database all.sqlite");
    verb->add_option("files", options->files, "strata databases")->required()->type_name("FILE");
    add_database_option(*verb, options->database);
    verb->callback([options] { merge_all(*options); });
}

}  // namespace strata
