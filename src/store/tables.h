// SPDX-License-Identifier: MIT
#pragma once

#include "record/kernels.h"
#include "record/run.h"
#include "record/tuning.h"
#include "store/sweeps.h"
#include "store/table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// The tables of schema.sql as lists of members, in its order. A table has a list for each struct
// that a row consists of; the first is its key.

// Keys.
struct RowId {
    std::optional<std::int64_t> id = {};  // nothing: SQLite chooses one
};
struct OfRun {
    std::int64_t run = 0;
};
struct OfStep {
    std::int64_t run = 0;
    std::int64_t position = 0;
};
struct OfSeries {
    std::int64_t run = 0;
    std::string series = {};
};

inline constexpr auto row_id = part(column("id", &RowId::id));
inline constexpr auto of_run = part(column("run", &OfRun::run));
inline constexpr auto of_step =
    part(column("run", &OfStep::run), column("position", &OfStep::position));
inline constexpr auto of_series =
    part(column("run", &OfSeries::run), column("series", &OfSeries::series));

// Parts of several tables.
struct NameAndValue {
    std::string name = {};
    std::string value = {};
};

inline constexpr auto stored_series =
    part(column("samples", &StoredSeries::samples), column("median_ns", &StoredSeries::median),
         column("low_ns", &StoredSeries::low), column("high_ns", &StoredSeries::high),
         column("sample_values", &StoredSeries::values));

inline constexpr auto launch_group = [](auto member) {
    return group(member,
                 group(&LaunchShape::grid, column("grid_x", &LaunchExtent::x),
                       column("grid_y", &LaunchExtent::y), column("grid_z", &LaunchExtent::z)),
                 group(&LaunchShape::block, column("block_x", &LaunchExtent::x),
                       column("block_y", &LaunchExtent::y), column("block_z", &LaunchExtent::z)),
                 column("registers", &LaunchShape::registers),
                 column("static_shared", &LaunchShape::static_shared),
                 column("dynamic_shared", &LaunchShape::dynamic_shared));
};

inline constexpr auto ratio_group = [](auto member) {
    return group(member, column("ratio", &Ratio::value), column("ratio_low", &Ratio::low),
                 column("ratio_high", &Ratio::high));
};

inline constexpr auto interval_group = [](auto member) {
    return group(member, column("interval_low_ns", &PredictedInterval::low),
                 column("interval_high_ns", &PredictedInterval::high),
                 column("interval_basis", &PredictedInterval::basis, shared));
};

inline constexpr auto metric_part = [](ColumnForm reason) {
    return part(column("metric", &MetricResult::name, shared), column("unit", &MetricResult::unit),
                column("value", &MetricResult::value),
                column("reason", &MetricResult::reason, reason));
};

// Plans.
struct PlanRow {
    std::string created = {};
    std::string key = {};
    std::string command = {};
    std::int64_t count = 0;
    std::string state = {};
    std::string owner = {};
};
inline constexpr auto plan_table =
    table("plan", row_id,
          part(column("created", &PlanRow::created), column("key", &PlanRow::key),
               column("command", &PlanRow::command), column("count", &PlanRow::count),
               column("state", &PlanRow::state), column("owner", &PlanRow::owner)));

// Runs.
struct RunPlace {
    std::optional<std::int64_t> plan = {};
    std::optional<std::int64_t> place = {};
};
struct RunSettings {
    std::string created = {};
    Origin origin = Origin::measured;
    std::optional<DeviceKind> ran_on = {};
    std::string backend = {};
    std::string network = {};
    std::int64_t batch = 1;
    std::string mode = {};
    std::string dtype = {};
    std::int64_t threads = 0;
    std::string algorithm = {};
    std::string policy = {};
    std::string key = {};
};
struct RunOutcome {
    RunState state = RunState::partial;
    Bytes predicted_memory = {};
    std::optional<Bytes> measured_memory = {};
    std::optional<Seconds> empty_step = {};
    std::optional<std::int64_t> device = {};
    std::optional<PredictedInterval> interval = {};
};
inline constexpr auto run_table = table(
    "run", row_id, part(column("plan", &RunPlace::plan), column("place", &RunPlace::place)),
    part(column("created", &RunSettings::created), column("origin", &RunSettings::origin),
         column("ran_on", &RunSettings::ran_on), column("backend", &RunSettings::backend),
         column("network", &RunSettings::network), column("batch", &RunSettings::batch),
         column("mode", &RunSettings::mode), column("dtype", &RunSettings::dtype),
         column("threads", &RunSettings::threads), column("algorithm", &RunSettings::algorithm),
         column("policy", &RunSettings::policy), column("key", &RunSettings::key)),
    part(column("state", &RunOutcome::state),
         column("predicted_memory", &RunOutcome::predicted_memory),
         column("measured_memory", &RunOutcome::measured_memory),
         column("empty_step_ns", &RunOutcome::empty_step), column("device", &RunOutcome::device),
         interval_group(&RunOutcome::interval)));

inline constexpr auto setting_table =
    table("setting", of_run,
          part(column("name", &NameAndValue::name), column("value", &NameAndValue::value)));
inline constexpr auto provenance_table = table("provenance", of_run,
                                               part(column("name", &NameAndValue::name, shared),
                                                    column("value", &NameAndValue::value, shared)));

// The time of a step: its status, and its samples with their summary, which may be by samples of
// other steps.
struct StoredStepTime {
    StoredStatus status = {};
    StoredSeries series = {};
};
inline constexpr auto step_table = table(
    "step", of_step,
    part(column("layer", &StepResult::layer, shared),
         column("operation", &StepResult::operation, shared), column("pass", &StepResult::pass),
         column("kind", &StepResult::kind),
         column("implementation", &StepResult::implementation, shared),
         column("implementation_kind", &StepResult::implementation_kind),
         column("algorithm", &StepResult::algorithm, shared),
         column("layout", &StepResult::layout, shared),
         column("problem", &StepResult::problem, shared),
         column("workspace", &StepResult::workspace), column("flops", &StepResult::flops),
         column("bytes_read", &StepResult::read), column("bytes_written", &StepResult::written),
         column("launch_ns", &StepResult::launch), interval_group(&StepResult::interval)),
    part(group(&StoredStepTime::status, column("status", &StoredStatus::word),
               column("reason", &StoredStatus::reason)),
         group(&StoredStepTime::series, column("samples", &StoredSeries::samples),
               column("median_ns", &StoredSeries::median), column("low_ns", &StoredSeries::low),
               column("high_ns", &StoredSeries::high),
               column("sample_values", &StoredSeries::values))));

struct OfCheckpoint {
    std::int64_t run = 0;
    std::int64_t checkpoint = 0;
    std::int64_t position = 0;
};
struct NewSamples {
    std::vector<Seconds> values = {};
};
inline constexpr auto step_samples_table =
    table("step_samples",
          part(column("run", &OfCheckpoint::run), column("checkpoint", &OfCheckpoint::checkpoint),
               column("position", &OfCheckpoint::position)),
          part(column("sample_values", &NewSamples::values)));

inline constexpr auto whole_table = table("whole", KeyConflict::replace, of_series, stored_series);

struct OfDisturbedSeries {
    std::int64_t run = 0;
    std::string series = {};
    std::int64_t position = 0;
};
struct StoredDisturbance {
    std::int64_t disturbed = 0;
    SampleUse used = SampleUse::all;
    std::vector<std::byte> marks = {};
};
inline constexpr auto disturbance_table = table(
    "disturbance",
    part(column("run", &OfDisturbedSeries::run), column("series", &OfDisturbedSeries::series),
         column("position", &OfDisturbedSeries::position)),
    part(column("disturbed", &StoredDisturbance::disturbed),
         column("used", &StoredDisturbance::used), column("marks", &StoredDisturbance::marks)));

inline constexpr auto run_work_table =
    table("run_work", of_run,
          part(column("flops", &RunWork::flops), column("bytes_read", &RunWork::read),
               column("bytes_written", &RunWork::written)));

inline constexpr auto infeed_table =
    table("infeed", of_run,
          part(column("source", &InfeedResult::source), column("images", &InfeedResult::images),
               column("encoded_bytes", &InfeedResult::encoded),
               column("pixels", &InfeedResult::pixels, counted),
               column("threads", &InfeedResult::threads)));
inline constexpr auto infeed_time_table = table("infeed_time", of_series, stored_series);

struct StoredFlag {
    std::string kind = {};
    std::string sentence = {};
};
inline constexpr auto flag_table =
    table("flag", of_step,
          part(column("kind", &StoredFlag::kind), column("sentence", &StoredFlag::sentence)));

// Kernels.
struct KernelSetContent {
    std::string content = {};
};
inline constexpr auto kernel_set_table =
    table("kernel_set", row_id,
          part(column("created", &KernelSet::created), column("origin", &KernelSet::origin),
               column("network", &KernelSet::network), column("source", &KernelSet::source)),
          part(column("content", &KernelSetContent::content)));

struct OfKernelSet {
    std::optional<std::int64_t> id = {};  // of the kernel; nothing: SQLite chooses one
    std::int64_t kernel_set = 0;
    std::int64_t position = 0;
};
inline constexpr auto kernel_table =
    table("kernel",
          part(column("id", &OfKernelSet::id), column("kernel_set", &OfKernelSet::kernel_set),
               column("position", &OfKernelSet::position)),
          part(group(&TrackedKernel::key, column("device", &KernelKey::device, shared),
                     column("batch", &KernelKey::batch),
                     column("full_name", &KernelKey::full_name, shared),
                     column("invocation", &KernelKey::invocation)),
               column("name", &TrackedKernel::name, shared),
               column("layer", &TrackedKernel::layer, shared_or_null),
               column("pass", &TrackedKernel::pass), column("time_ns", &TrackedKernel::time),
               launch_group(&TrackedKernel::launch)));

struct OfKernel {
    std::int64_t kernel = 0;
};
inline constexpr auto kernel_metric_table =
    table("kernel_metric", part(column("kernel", &OfKernel::kernel)), metric_part(null_if_empty));

// Traces and counters.
struct StoredTrace {
    std::string device = {};
    std::int64_t kernel_set = 0;
    std::uint64_t dropped = 0;
    std::optional<std::int64_t> window = {};
    std::vector<Seconds> windows = {};
    std::optional<std::int64_t> recorded_time = {};
    std::vector<Seconds> recorded = {};
};
inline constexpr auto trace_table = table(
    "trace", of_run,
    part(column("device", &StoredTrace::device, shared),
         column("kernel_set", &StoredTrace::kernel_set), column("dropped", &StoredTrace::dropped),
         column("window_ns", &StoredTrace::window), column("windows", &StoredTrace::windows),
         column("recorded_ns", &StoredTrace::recorded_time),
         column("recorded", &StoredTrace::recorded)));
inline constexpr auto trace_span_table = table(
    "trace_span", of_step,
    part(group(&TracedSpan::span, column("kind", &Span::kind), column("name", &Span::name, shared),
               column("device", &Span::device), column("stream", &Span::stream),
               column("start_ns", &Span::start), column("end_ns", &Span::end),
               column("bytes", &Span::bytes), launch_group(&Span::launch)),
         column("layer", &TracedSpan::layer, shared_or_null), column("pass", &TracedSpan::pass),
         column("evidence", &TracedSpan::evidence)));

struct OfCountedStep {
    std::int64_t run = 0;
    std::int64_t position = 0;
    std::int64_t counted_at = 0;
};
inline constexpr auto step_metric_table =
    table("step_metric",
          part(column("run", &OfCountedStep::run), column("position", &OfCountedStep::position),
               column("counted_at", &OfCountedStep::counted_at)),
          metric_part(shared_or_null));

// Annotations.
struct TagKey {
    std::string name = {};
};
inline constexpr auto tag_table =
    table("tag", KeyConflict::replace, part(column("name", &TagKey::name)), of_run);
struct NoteText {
    std::string text = {};
};
inline constexpr auto note_table =
    table("note", KeyConflict::replace, of_run, part(column("text", &NoteText::text)));

// Verification.
inline constexpr auto verification_table =
    table("verification", of_run,
          part(column("compared", &VerifiedSteps::compared),
               column("without_reference", &VerifiedSteps::without_reference)));
inline constexpr auto step_check_table = table(
    "step_check", of_step,
    part(column("error", &ReferenceError::error), column("tolerance", &ReferenceError::tolerance)));

inline constexpr auto step_occurrence_table =
    table("step_occurrence", of_step,
          part(column("seen_in", &SeenIn::iterations), column("iterations", &SeenIn::of)));

struct LayerAlias {
    std::string layer = {};
    std::string alias = {};
};
inline constexpr auto layer_alias_table = table(
    "layer_alias", KeyConflict::keep, of_run,
    part(column("layer", &LayerAlias::layer, shared), column("alias", &LayerAlias::alias, shared)));

// Tunings.
inline constexpr auto tuning_scope_table = table(
    "tuning_scope", KeyConflict::keep, row_id,
    part(column("machine", &TuningScope::machine, shared),
         column("instructions", &TuningScope::instructions, shared),
         column("library", &TuningScope::library, shared), column("kernels", &TuningScope::kernels),
         column("threads", &TuningScope::threads), column("dtype", &TuningScope::dtype),
         column("mode", &TuningScope::mode), column("fusion", &TuningScope::fusion)));

struct OfScope {
    std::int64_t scope = 0;
};
// (A file may have algorithms that this version no longer has.)
struct TuningEntry {
    std::string created = {};
    std::string algorithm = {};
};
inline constexpr auto tuning_entry =
    part(column("created", &TuningEntry::created), column("algorithm", &TuningEntry::algorithm));
inline constexpr auto tuning_trial_table = table(
    "tuning_trial", KeyConflict::replace, part(column("scope", &OfScope::scope)), tuning_entry,
    part(column("problem", &TuningTrial::problem, shared), column("pass", &TuningTrial::pass),
         column("implementation", &TuningTrial::implementation, shared),
         ratio_group(&TuningTrial::ratio), column("usual_ns", &TuningTrial::usual),
         column("own_ns", &TuningTrial::own), column("rounds", &TuningTrial::rounds),
         column("reason", &TuningTrial::reason, null_if_empty)));
inline constexpr auto tuning_table =
    table("tuning", KeyConflict::replace, part(column("scope", &OfScope::scope)), tuning_entry,
          part(column("problem", &TunedPass::problem, shared), column("pass", &TunedPass::pass),
               column("implementation", &TunedPass::implementation, shared),
               column("network", &TunedPass::network, shared),
               column("candidates", &TunedPass::candidates), ratio_group(&TunedPass::ratio)));

// Sweeps.
struct SweepRow {
    std::string created = {};
    std::string name = {};
    std::string key = {};
    std::string identity = {};
    std::int64_t points = 0;
};
inline constexpr auto sweep_table =
    table("sweep", KeyConflict::keep, row_id,
          part(column("created", &SweepRow::created), column("name", &SweepRow::name),
               column("key", &SweepRow::key), column("identity", &SweepRow::identity),
               column("points", &SweepRow::points)));

struct OfSweep {
    std::int64_t sweep = 0;
    std::string owner = {};  // of a claimed point
};
inline constexpr auto sweep_point_table = table(
    "sweep_point", KeyConflict::replace,
    part(column("sweep", &OfSweep::sweep), column("owner", &OfSweep::owner, null_if_empty)),
    part(column("position", &StoredPoint::position), column("repeat", &StoredPoint::repeat),
         column("network", &StoredPoint::network), column("batch", &StoredPoint::batch),
         column("mode", &StoredPoint::mode), column("dtype", &StoredPoint::dtype),
         column("threads", &StoredPoint::threads), column("backend", &StoredPoint::backend),
         column("outcome", &StoredPoint::outcome),
         column("reason", &StoredPoint::reason, null_if_empty), column("run", &StoredPoint::run)));

// All of them, for comparison with the schema.
std::vector<TableLayout> stored_tables();

}  // namespace strata
