// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"

#include <CLI/CLI.hpp>

namespace strata {

// Each adds one verb to the command line: its options, its help with an example, and what it does
// when it is called. `exit` receives the code that the process ends with.
void add_list(CLI::App& app, ExitCode& exit);
void add_runs(CLI::App& app, ExitCode& exit);
void add_show(CLI::App& app, ExitCode& exit);
void add_run(CLI::App& app, ExitCode& exit);
void add_algorithms(CLI::App& app, ExitCode& exit);
void add_sweep(CLI::App& app, ExitCode& exit);
void add_scale(CLI::App& app, ExitCode& exit);
void add_tune(CLI::App& app, ExitCode& exit);
void add_calibrate(CLI::App& app, ExitCode& exit);
void add_predict(CLI::App& app, ExitCode& exit);
void add_accuracy(CLI::App& app, ExitCode& exit);
void add_simulate(CLI::App& app, ExitCode& exit);
void add_overhead(CLI::App& app, ExitCode& exit);
void add_study(CLI::App& app, ExitCode& exit);
void add_reproduce(CLI::App& app, ExitCode& exit);
void add_report(CLI::App& app, ExitCode& exit);
void add_explain(CLI::App& app, ExitCode& exit);
void add_compare(CLI::App& app, ExitCode& exit);
void add_what_if(CLI::App& app, ExitCode& exit);
void add_analyze(CLI::App& app, ExitCode& exit);
void add_export(CLI::App& app, ExitCode& exit);
void add_merge(CLI::App& app, ExitCode& exit);
void add_import(CLI::App& app, ExitCode& exit);
void add_query(CLI::App& app, ExitCode& exit);
void add_doctor(CLI::App& app, ExitCode& exit);
void add_completion(CLI::App& app, ExitCode& exit);
void add_help(CLI::App& app, ExitCode& exit);

}  // namespace strata
