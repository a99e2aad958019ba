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
    std::string_view convention = conventions().front().name;  // that its operations are counted by
};
RunFindings findings_of(const Run& run);

// What the rows of sums are called: "all", or, of an incomplete run, "that ran".
const char* whole_name(const RunFindings& findings);

// An incomplete run has no shares: people do not see the table's empty column of them.
void hide_unknown_shares(Table& table, const RunFindings& findings);

// What other programs delayed: that their samples are left out, how many steps take those of equal
// steps, and of how many nothing is concluded. Empty where nothing was delayed.
std::vector<std::string> delay_notes(const RunFindings& findings);

// The steps:
//
//   layer      pass      time [ms]   share [%]  GFLOP/s  GB/s  FLOP/B  ceiling [%]  bound    ...
//   conv1      forward   12.3 ± 0.1       18.2      180   1.2     146           91  compute  ...
//   norm1      forward    –¹
//   all steps             145            100
Table steps_table(const RunFindings& findings, const StepFilter& filter = {});

// Which steps occur in some of a recording's iterations only; nothing if there are none.
std::optional<std::string> rare_steps_text(const Run& run);

// Shows people of a table of the run's steps which occur in some of the iterations only, where
// there are any: "seen in 1 of 5". Requires: it has the columns seen_in and of_iterations.
void explain_rare(Table& table, const Run& run);

// Its columns: display flags are checked before there is a run.
std::vector<Column> step_columns();

// The same steps for scripts, in the order of execution: what run_json has as "steps", and the CSV
// of a run.
Document steps_document(const RunFindings& findings, const StepFilter& filter = {});

// What became of a step. One that has a time says by its run's origin where that comes from.
enum class Status { measured, predicted, imported, skipped, failed, included, no_op };
inline constexpr std::array<std::string_view, 7> names_of(Status) {
    return {"measured", "predicted", "imported", "skipped", "failed", "included", "no-op"};
}
Status status_of(Origin origin);
Status status_of(const Measurement& measurement, Origin origin);

// Why it has no time, or, where it is included, the step that did it: "conv1 forward". Empty where
// it has a time.
std::string reason_of(const Measurement& measurement);

}  // namespace strata
