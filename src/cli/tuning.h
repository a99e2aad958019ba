// SPDX-License-Identifier: MIT
#pragma once

#include "cli/session.h"
#include "record/tuning.h"
#include "run/experiment.h"
#include "run/tune.h"

#include <CLI/CLI.hpp>

#include <span>
#include <string>
#include <vector>

// Shared by `strata tune`, `strata run` and `strata compare`: the algorithms that convolutions and
// linear layers use here.
namespace strata {

// --tune-time, for each network.
void add_tune_time(CLI::App& verb, TuningLimits& limits);

// Throws Error with exit code usage unless the backend lets single layers choose.
void require_tunable(const std::string& backend);

// Throws Error with exit code usage for a choice that no layer of any of these networks could take:
// "--choose 'conv9 forward=fft' matches no layer: ...". It would be silently ignored.
void require_choices(std::vector<AlgorithmChoice> choices, std::span<const Job> networks);

// Results in the database for the job's network are not measured again. New ones are stored as they
// are found, so that the same command continues after an interrupt.
TuningOutcome tune_job(Session& session, const Job& job, const TuningLimits& limits);

// Makes jobs use the algorithms that tunings in the database found: jobs that request the fastest
// are tuned first if they are not yet; with `is_open`, jobs without a requested algorithm use them
// too if they run as tuned: unfused, in the engine's own layouts. Reports what it did, in a
// sentence for each network.
void take_tunings(Session& session, Experiment& experiment, bool is_open,
                  const TuningLimits& limits);

// The same for one job without a requested algorithm, from stored tunings only. Returns the
// sentence; empty if the job is unchanged.
std::string take_stored_tuning(Session& session, Job& job);

}  // namespace strata
