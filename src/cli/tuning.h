// SPDX-License-Identifier: MIT
#pragma once

#include "cli/measuring.h"
#include "record/tuning.h"
#include "run/experiment.h"
#include "run/tune.h"

#include <CLI/CLI.hpp>

#include <span>
#include <string>
#include <vector>

// What `strata tune`, `strata run` and `strata compare` share: which algorithms convolutions and
// linear layers run by here.
namespace strata {

// --tune-time, of each network.
void add_tune_time(CLI::App& verb, TuningLimits& limits);

// Throws Error with exit code usage unless the backend lets single layers choose.
void require_tunable(const std::string& backend);

// Throws Error with exit code usage for a choice that no layer of any of these networks could take:
// "--choose 'conv9 forward=fft' is for no layer: ...". It would be passed over in silence.
void require_choices(std::vector<AlgorithmChoice> choices, std::span<const Job> networks);

// What is known of the job's network in a database is not tried again. What is found is stored as
// it is found, so that the same command goes on after an interrupt.
TuningOutcome tune_job(const Job& job, const TuningLimits& limits, const std::string& database,
                       WhenLocked when_locked);

// Lets jobs run by the algorithms that tunings in the database found: all that are asked for the
// fastest, which are tuned first where they are not, and with `is_open`, where no algorithm was
// asked for, every one that runs as it was tuned: unfused, in the engine's own layouts. Says what
// it did, in a sentence for each network.
void take_tunings(Experiment& experiment, bool is_open, const TuningLimits& limits,
                  const std::string& database, WhenLocked when_locked);

// The same for one job without algorithms asked for, by what is stored: nothing is tuned. Returns
// the sentence; empty where the job stays as it is.
std::string take_stored_tuning(Job& job, const std::string& database);

}  // namespace strata
