// SPDX-License-Identifier: MIT
#include "store/schema.h"

#include "base/error.h"
#include "base/text.h"
#include "store/statement.h"

#include <fmt/format.h>

#include <array>

namespace strata {

namespace {

std::int64_t number(const Database& database, std::string_view sql) {
    Statement statement(database, sql);
    statement.start().next();
    return statement.integer(0);
}

void set_version(const Database& database, const Schema& schema) {
    database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                 schema.application_id, schema.version));
}

void create_or_migrate(const Database& database, const Schema& schema) {
    Transaction transaction(database);
    const std::int64_t version = schema_version(database);  // another process may have been faster
    if (version == 0) {
        database.execute(std::string(schema.tables));
    }
    for (const Migration& migration : schema.migrations) {
        if (version > 0 && migration.to > version) {
            database.execute(std::string(migration.sql));
        }
    }
    set_version(database, schema);
    transaction.commit();
}

// A view's statement without the comment before it, as SQLite keeps it.
std::string_view statement_of(std::string_view view) {
    const auto start = view.find("CREATE VIEW");
    check(start != std::string_view::npos, "a view's file holds a CREATE VIEW");
    return trim(view.substr(start));
}

std::string name_of_view(std::string_view statement) {
    return std::string(split(statement, ' ').at(2));
}

bool is_present(const Database& database, std::string_view view) {
    Statement stored(database, "SELECT 1 FROM sqlite_master WHERE type = 'view' AND sql = ?");
    return stored.start(view).next();
}

// Views hold no data, so they need no version: whatever differs from ours is replaced.
void replace_views(const Database& database, const Schema& schema) {
    for (const std::string_view file : schema.views) {
        const std::string_view view = statement_of(file);
        if (!is_present(database, view)) {
            Transaction transaction(database);
            database.execute("DROP VIEW IF EXISTS " + name_of_view(view));
            database.execute(std::string(view));
            transaction.commit();
        }
    }
}

}  // namespace

const Schema& strata_schema() {
    static const std::array views = {view_step_time,      view_layer_time,    view_run_summary,
                                     view_tracked_kernel, view_kernel_census, view_kernel_use,
                                     view_trace_time,     view_step_counter,  view_tuned_algorithm,
                                     view_run_parameter,  view_sweep_result,  view_infeed_summary};
    static const std::array migrations = {
        Migration{.to = 2, .sql = migration_2},   Migration{.to = 3, .sql = migration_3},
        Migration{.to = 4, .sql = migration_4},   Migration{.to = 5, .sql = migration_5},
        Migration{.to = 6, .sql = migration_6},   Migration{.to = 7, .sql = migration_7},
        Migration{.to = 8, .sql = migration_8},   Migration{.to = 9, .sql = migration_9},
        Migration{.to = 10, .sql = migration_10}, Migration{.to = 11, .sql = migration_11},
        Migration{.to = 12, .sql = migration_12}, Migration{.to = 13, .sql = migration_13},
        Migration{.to = 14, .sql = migration_14}};
    static const Schema schema{.application_id = 0x53545241,
                               .version = 14,
                               .tables = schema_tables,
                               .migrations = migrations,
                               .views = views};
    return schema;
}

std::int64_t schema_version(const Database& database) {
    return number(database, "PRAGMA user_version");
}

void refuse_foreign(const Database& database, const Schema& schema) {
    const std::string file = printable(database.file().string(), 1000);
    const bool empty = number(database, "SELECT count(*) FROM sqlite_master") == 0;
    const bool unmarked = number(database, "PRAGMA application_id") == 0;
    if (number(database, "PRAGMA application_id") != schema.application_id &&
        !(empty && unmarked)) {
        throw Error(
            fmt::format("database {} belongs to another program and was left unchanged; choose "
                        "another with --database",
                        file));
    }
    if (schema_version(database) > schema.version) {
        throw Error(
            fmt::format("database {} has version {}, but this strata supports versions up to {}; "
                        "update strata or choose another with --database",
                        file, schema_version(database), schema.version));
    }
}

void migrate(const Database& database, const Schema& schema) {
    if (schema_version(database) < schema.version) {
        create_or_migrate(database, schema);
    }
    replace_views(database, schema);
}

}  // namespace strata
