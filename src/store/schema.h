// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace strata {

class Database;

// A change of the tables from one version to the next.
struct Migration {
    std::int64_t to = 0;  // from the version before
    std::string_view sql;
};

// The tables of a database: the current version as a whole, and the migrations from older ones.
struct Schema {
    std::int32_t application_id = 0;
    std::int64_t version = 0;
    std::string_view tables;                  // CREATE TABLE and INDEX, for a new database
    std::span<const Migration> migrations;    // one for each version from 2 on, in order
    std::span<const std::string_view> views;  // CREATE VIEW, one each; replaced where they differ
};

// schema.sql, migrations/ and views/ of this folder.
const Schema& strata_schema();

// 0 for a database without tables.
std::int64_t schema_version(const Database& database);

// Throws Error, and changes nothing, where the file belongs to something else or to a newer
// version.
void refuse_foreign(const Database& database, const Schema& schema);

// Creates the tables, or takes the migrations that an older database lacks, in one transaction;
// then the views. Requires: refuse_foreign let it pass.
void migrate(const Database& database, const Schema& schema);

// The SQL files of this folder, embedded by its CMakeLists.txt.
extern const std::string_view schema_tables;
extern const std::string_view migration_2;
extern const std::string_view migration_3;
extern const std::string_view migration_4;
extern const std::string_view migration_5;
extern const std::string_view migration_6;
extern const std::string_view migration_7;
extern const std::string_view migration_8;
extern const std::string_view migration_9;
extern const std::string_view migration_10;
extern const std::string_view migration_11;
extern const std::string_view migration_12;
extern const std::string_view migration_13;
extern const std::string_view migration_14;
extern const std::string_view view_step_time;
extern const std::string_view view_layer_time;
extern const std::string_view view_run_summary;
extern const std::string_view view_tracked_kernel;
extern const std::string_view view_kernel_census;
extern const std::string_view view_kernel_use;
extern const std::string_view view_trace_time;
extern const std::string_view view_step_counter;
extern const std::string_view view_tuned_algorithm;
extern const std::string_view view_run_parameter;
extern const std::string_view view_sweep_result;
extern const std::string_view view_infeed_summary;

}  // namespace strata
