// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace strata {

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

}  // namespace strata
