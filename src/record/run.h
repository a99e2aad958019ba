// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "device/description.h"
#include "device/device.h"
#include "graph/implementation.h"
#include "graph/schedule.h"
#include "measure/doubt.h"
#include "measure/measurement.h"
#include "op/work.h"
#include "record/infeed_result.h"
#include "record/metric_result.h"
#include "record/settings.h"
#include "record/trace_result.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The origin of a run's times. Every view prints it.
enum class Origin { measured, modelled, imported };
inline constexpr std::array<std::string_view, 3> names_of(Origin) {
    return {"measured", "modelled", "imported"};
}

// Whether everything planned was done; an interrupted run keeps its results so far.
enum class RunState { partial, complete };
inline constexpr std::array<std::string_view, 2> names_of(RunState) {
    return {"partial", "complete"};
}

// How much a step's results differ from the reference's: the largest difference relative to the
// scale of the values, and the error that rounding may cause (verify/expected.h).
struct ReferenceError {
    double error = 0;
    double tolerance = 0;

    double of_tolerance() const { return error / tolerance; }
    bool agrees() const { return error <= tolerance; }
};

// The number of a recording's iterations that contain a step, if not all do. Its one sample is the
// sum of its times in all iterations, divided by their number: 5 ms seen once in 5 are 1 ms.
struct SeenIn {
    std::size_t iterations = 0;
    std::size_t of = 0;

    bool operator==(const SeenIn&) const = default;
};

// The times between which eight of ten measured ones would lie, and the residuals of predictions
// that say so. It belongs to the prediction that it was made with: other rates have other errors.
struct PredictedInterval {
    Seconds low;
    Seconds high;
    std::string basis = {};  // "cross-validated, gemm 16 bits on h100"
};

// One step's result: what ran, how, its work, and its time.
struct StepResult {
    std::string layer;       // the layer's name
    std::string alias = {};  // its name in the network's file if that differs
    std::string operation;   // its kind: "convolution", "relu", "max_pooling"
    Pass pass = Pass::forward;
    StepKind kind = StepKind::compute;
    std::string implementation;
    ImplementationKind implementation_kind = ImplementationKind::unknown;
    std::string algorithm;
    std::string layout;
    std::string problem;  // the layer as one line of text that strata can run
    Bytes workspace;
    Flops flops;  // operations by the convention multiply-add-2
    Bytes read;   // compulsory traffic; for reorders and accumulations what they move
    Bytes written;
    Measurement time;
    // Of a modelled time on a GPU: launches, and waiting for the host; nothing if unknown.
    std::optional<Seconds> launch = {};
    std::optional<PredictedInterval> interval = {};  // of a modelled time
    std::optional<ReferenceError> verified = {};     // nothing: not compared with the reference
    // The values of counters; of steps that do the same, one was counted for all.
    std::vector<MetricResult> metrics = {};
    std::optional<std::size_t> counted_at = {};  // that step's index in the run; nothing: none
    std::optional<SeenIn> seen_in = {};          // nothing: it occurs in every iteration
};

// The whole iteration, uninstrumented and instrumented, sampled alternately with a calibration loop
// of fixed work that is slow if the machine is disturbed.
struct WholeResult {
    Samples end_to_end;    // no time stamps inside
    Samples instrumented;  // the same iteration with a time stamp between steps
    Samples calibration;
};

// A doubt about the measurements raised by a diagnosis.
using Flag = Doubt;

// The steps were compared with the reference before they were timed: how many, and how many ran for
// which there was nothing to compare.
struct VerifiedSteps {
    std::size_t compared = 0;
    std::size_t without_reference = 0;
};

// The entries of Run::provenance for steps with an individually chosen algorithm:
// "choice.conv1.forward" -> "winograd-4x4-3x3 (tuned)"; and for steps that do not use the requested
// one: "fallback.conv1.forward" -> "fft (user): stride 4: it needs stride 1".
inline constexpr std::string_view choice_prefix = "choice.";
inline constexpr std::string_view fallback_prefix = "fallback.";

// The work of an iteration: operations by the convention multiply-add-2, compulsory traffic.
struct RunWork {
    Flops flops;
    Bytes read;
    Bytes written;

    bool operator==(const RunWork&) const = default;
};

// What ran, where and how, the results by step, and everything needed to judge or repeat them.
struct Run {
    std::int64_t id = 0;  // 0: not stored yet
    std::string created;  // UTC, "2026-11-21T13:15:00Z"
    Origin origin = Origin::measured;
    RunState state = RunState::complete;
    Settings settings;
    std::optional<DeviceKind> ran_on = {};  // nothing: not recorded
    std::vector<StepResult> steps;
    WholeResult whole;
    std::optional<PredictedInterval> interval = {};  // of the whole's modelled time
    std::optional<RunWork> work;  // for a run whose steps are not kept; else their sum
    Bytes predicted_memory;       // peak by liveness
    // Peak resident set of the process minus that before the run; or the memory held on the device.
    std::optional<Bytes> measured_memory;
    // The time of an empty step: the cost of its time stamps. Nothing: not measured.
    std::optional<Seconds> empty_step;
    std::optional<VerifiedSteps> verified;  // nothing: verification was not requested
    std::optional<TraceResult> trace;       // iterations that were recorded, not timed
    std::optional<InfeedResult> infeed;     // iterations that were fed with images
    std::vector<Flag> flags;
    std::map<std::string, std::string> provenance;  // "cpu.model" -> ..., "onednn.version" -> ...
    std::vector<std::string> tags;                  // the user's name for it; only for a stored run
    std::string note;                               // the user's note; empty: none
    std::optional<Device> device;  // the ceilings to compare with; nothing: not calibrated

    bool ran_on_gpu() const { return ran_on == DeviceKind::gpu; }
    // Of this machine's processors, which computed its steps; 0: none did, or it is unknown.
    int threads() const { return ran_on_gpu() ? 0 : settings.threads(); }
};

}  // namespace strata
