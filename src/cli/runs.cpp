// SPDX-License-Identifier: MIT
#include "view/runs.h"

#include "base/output.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "store/annotations.h"
#include "store/database.h"
#include "store/load.h"
#include "store/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace strata {

namespace {

struct RunsOptions {
    std::string database;
    OutputOptions output;
    std::string run;
    std::string tag;
    std::string note;
    std::vector<std::string> runs;
    bool remove = false;
};

// Opens an existing database: one is never created just to change a run.
Database open_to_change(const std::filesystem::path& path) {
    Database::open_existing(path);
    return Database::open(path);
}

void list(const RunsOptions& options) {
    const Database database = Database::open_existing(database_path(options.database));
    emit(runs_document(list_runs(database, options.output.needed_rows())), options.output);
}

void tag(const RunsOptions& options) {
    const Database database = open_to_change(database_path(options.database));
    if (options.remove) {
        remove_tag(database, options.run);
        return;
    }
    if (options.tag.empty()) {
        throw Error("runs tag needs a run and a name: strata runs tag last baseline",
                    ExitCode::usage);
    }
    tag_run(database, resolve_run(database, options.run), options.tag);
}

void note(const RunsOptions& options) {
    const Database database = open_to_change(database_path(options.database));
    note_run(database, resolve_run(database, options.run), options.note);
}

// Names are resolved before anything is deleted: afterwards last~1 would name another run.
void remove(const RunsOptions& options) {
    const auto path = database_path(options.database);
    const Database database = open_to_change(path);
    std::vector<std::int64_t> runs;
    for (const std::string& name : options.runs) {
        const std::int64_t run = resolve_run(database, name);
        if (std::ranges::find(runs, run) == runs.end()) {
            runs.push_back(run);
        }
    }
    for (const std::string& line : delete_runs(database, runs)) {
        print_output("deleted {} from {}\n", line, printable(path.string(), 1000));
    }
}

// A verb below `runs`.
CLI::App* add_below(CLI::App& runs, const char* name, const char* meaning,
                    const std::shared_ptr<RunsOptions>& options,
                    void (*action)(const RunsOptions& options)) {
    CLI::App* verb = runs.add_subcommand(name, meaning);
    add_database_option(*verb, options->database);
    verb->callback([options, action] { action(*options); });
    return verb;
}

}  // namespace

void add_runs(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<RunsOptions>();
    CLI::App* verb = app.add_subcommand("runs", "List, tag, annotate and delete stored runs.");
    verb->footer(
        "strata runs --top 10                   # newest first\n"
        "strata runs tag last baseline          # baseline now names that run\n"
        "strata runs note baseline 'before the new kernel'\n"
        "strata runs delete 3 4 last~2");
    verb->require_subcommand(0, 1);
    add_database_option(*verb, options->database);
    add_output_options(*verb, options->output);
    verb->callback([options, verb] {
        if (verb->get_subcommands().empty()) {
            list(*options);
        }
    });
    CLI::App* tagged = add_below(*verb, "tag", "Give a run a name of your own.", options, tag);
    tagged->add_option("run", options->run, "the run; with --remove, the tag")
        ->required()
        ->type_name("RUN");
    tagged->add_option("name", options->tag, "its new name; moved from the run that had it, if any")
        ->type_name("NAME");
    // No environment variable: a setting for a whole session must not remove anything.
    tagged->add_flag("--remove", options->remove, "remove this tag instead");
    CLI::App* noted = add_below(*verb, "note", "Attach a note to a run.", options, note);
    noted->add_option("run", options->run, "the run")->required()->type_name("RUN");
    noted->add_option("text", options->note, "the note; '' removes it")
        ->required()
        ->type_name("TEXT");
    CLI::App* deleted =
        add_below(*verb, "delete", "Delete runs and everything stored with them.", options, remove);
    deleted->add_option("runs", options->runs, "ids, tags, last or last~1")
        ->required()
        ->type_name("RUN");
}

}  // namespace strata
