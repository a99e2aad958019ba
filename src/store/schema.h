// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace strata {

class Database;

// The schema of a database: its tables and indices, and views of them.
struct Schema {
    std::int32_t application_id = 0;
    std::int64_t version = 0;
    std::string_view tables;                  // CREATE TABLE and INDEX, for a new database
    std::span<const std::string_view> views;  // CREATE VIEW, one each; they hold no data
};

// The schema in schema.sql and views/ of this folder.
const Schema& strata_schema();

// 0 for a database without tables.
std::int64_t schema_version(const Database& database);

// Throws Error, and changes nothing, unless the file is empty or has exactly the tables and indices
// of this version and no trigger: anything else in a file might never terminate, or write
// unrequested data. Views are not checked, because the file's views are never used.
void require_schema(const Database& database, const Schema& schema);

// Creates the tables if there are none, and views that are missing or differ. Requires:
// require_schema accepted it.
void complete_schema(const Database& database, const Schema& schema);

// Makes a read-only connection use our views instead of the file's.
void use_own_views(const Database& database, const Schema& schema);

// The SQL files of this folder, embedded by its CMakeLists.txt.
extern const std::string_view schema_tables;
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
