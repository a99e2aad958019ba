// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/bottleneck.h"
#include "analyze/summary.h"
#include "op/convention.h"
#include "record/run.h"
#include "report/document.h"
#include "view/step_filter.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A run, its times and what bounds them: computed once, shown in several ways.
struct RunFindings {
    const Run& run;
    Summary summary;
    std::vector<StepBound> bounds;
    std::string_view convention = conventions().front().name;  // that counts its operations
};
RunFindings findings_of(const Run& run);

// The name of the rows of sums: "all", or "that ran" for an incomplete run.
const char* whole_name(const RunFindings& findings);

// Hides the empty column of shares from people if the run is incomplete.
void hide_unknown_shares(Table& table, const RunFindings& findings);

// Notes on delays by other programs: that delayed samples are left out, how many steps use the
// samples of equal steps, and how many have no result. Empty if nothing was delayed.
std::vector<std::string> delay_notes(const RunFindings& findings);

// The steps:
//
//   layer      pass      time [ms]   share [%]  GFLOP/s  GB/s  FLOP/B  ceiling [%]  bound    ...
//   conv1      forward   12.3 ± 0.1       18.2      180   1.2     146           91  compute  ...
//   norm1      forward    –¹
//   all steps             145            100
Table steps_table(const RunFindings& findings, const StepFilter& filter = {});

// Names the steps that occur in only some of a recording's iterations; empty if there are none.
std::optional<std::string> rare_steps_text(const Run& run);

// Marks the steps in the table that occur in only some of the iterations, if any: "seen in 1 of 5".
// Requires: the table has the columns seen_in and of_iterations.
void explain_rare(Table& table, const Run& run);

// The columns, because display flags are checked before there is a run.
std::vector<Column> step_columns();

// The same steps for scripts, in the order of execution: "steps" of run_json, and the CSV of a run.
Document steps_document(const RunFindings& findings, const StepFilter& filter = {});

// The outcome of a step. For a step with a time, it follows from the run's origin.
enum class Status { measured, predicted, imported, skipped, failed, included, no_op };
inline constexpr std::array<std::string_view, 7> names_of(Status) {
    return {"measured", "predicted", "imported", "skipped", "failed", "included", "no-op"};
}
Status status_of(Origin origin);
Status status_of(const Measurement& measurement, Origin origin);

// Why it has no time, or, if it is included, the step that contains it: "conv1 forward". Empty if
// it has a time.
std::string reason_of(const Measurement& measurement);

}  // namespace strata
