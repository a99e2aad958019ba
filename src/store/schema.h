// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace strata {

class Database;

// A column that a version added to a table. Files of the version before it can be read, and a
// writer adds it to them.
struct AddedColumn {
    std::int64_t version = 0;  // the first that has it
    std::string_view table;
    std::string_view name;
    std::string_view definition;  // as in the table: "legs INTEGER"
    // The value for an old row, in SQL; `row` is the row, and {} the schema of its database.
    std::string_view value;
};

// The schema of a database: its tables and indices, and views of them.
struct Schema {
    std::int32_t application_id = 0;
    std::int64_t version = 0;
    std::string_view tables;                  // CREATE TABLE and INDEX, for a new database
    std::span<const std::string_view> views;  // CREATE VIEW, one each; they hold no data
    std::span<const AddedColumn> added = {};  // files without them are supported too
};

// The schema in schema.sql and views/ of this folder.
const Schema& strata_schema();

// 0 for a database without tables.
std::int64_t schema_version(const Database& database);

// Throws Error, and changes nothing, unless the file is empty or has exactly the tables and indices
// of this version, or of an older one that is supported, and no trigger: anything else in a file
// might never terminate, or write unrequested data. Views are not checked, because the file's views
// are never used.
void require_schema(const Database& database, const Schema& schema);

// Creates the tables if there are none, adds the columns that an older file lacks, and creates
// views that are missing or differ. Requires: require_schema accepted it.
void complete_schema(const Database& database, const Schema& schema);

// A table of a database as a query sees it after FROM, with the columns of this version. `from` is
// the database's name in the connection, `version` that of its file.
std::string rows_of_version(const Schema& schema, std::int64_t version, std::string_view table,
                            std::string_view from);

// Makes a read-only connection use our views instead of the file's, and see an older file's tables
// with the columns of this version.
void use_own_views(const Database& database, const Schema& schema);

// The SQL files of this folder, embedded by its CMakeLists.txt; the views one after another.
extern const std::string_view schema_tables;
extern const std::string_view schema_views;

}  // namespace strata
