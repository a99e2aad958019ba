// SPDX-License-Identifier: MIT
#include "store/query.h"

#include "cli/options.h"
#include "cli/verbs.h"
#include "store/database.h"

#include <memory>

namespace strata {

namespace {

struct QueryOptions {
    std::string sql;
    std::string database;
    double max_time = StatementLimits{}.time.value;
    std::string memory;  // empty: the default of StatementLimits
    OutputOptions output;
};

void ask(const QueryOptions& options) {
    const Database database = Database::open_existing(database_path(options.database));
    StatementLimits limits{.time = Seconds{options.max_time}};
    if (!options.memory.empty()) {
        limits.memory = memory_named(options.memory, "--max-memory");
    }
    emit({.title = "query",
          .blocks = {query(database, options.sql, Numbers::verbatim, limits)},
          .kind = "query"},
         options.output);
}

}  // namespace

void add_query(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<QueryOptions>();
    CLI::App* verb = app.add_subcommand("query", "Query the database in SQL, read-only.");
    verb->footer("strata query \"select network, batch, end_to_end_s from run_summary\"");
    verb->add_option("sql", options->sql,
                     "one SELECT statement (docs/data-model.md describes the tables)")
        ->required()
        ->type_name("SQL");
    add_database_option(*verb, options->database);
    // No environment variables: those with these names limit runs.
    verb->add_option("--max-time", options->max_time, "end the query if it takes longer")
        ->check(CLI::PositiveNumber)
        ->type_name("SECONDS");
    verb->add_option("--max-memory", options->memory,
                     "end the query if it needs more memory; by default 4GB")
        ->type_name("SIZE");
    add_output_options(*verb, options->output);
    verb->callback([options] { ask(*options); });
}

}  // namespace strata
