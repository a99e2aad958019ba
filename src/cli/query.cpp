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
    OutputOptions output;
};

void ask(const QueryOptions& options) {
    const Database database = Database::open_existing(database_path(options.database));
    emit({.title = "query",
          .blocks = {query(database, options.sql, Numbers::verbatim)},
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
    add_output_options(*verb, options->output);
    verb->callback([options] { ask(*options); });
}

}  // namespace strata
