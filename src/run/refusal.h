// SPDX-License-Identifier: MIT
#pragma once

#include "run/execute.h"

#include <optional>
#include <span>
#include <vector>

namespace strata {

// Like `execute`, but if the machine cannot hold the network, the result is a complete run with
// every step skipped for that reason. So a sweep continues with the sizes that fit.
Run execute_or_refuse(const Job& job, Backend& backend, const Observer& observer,
                      const std::optional<Run>& earlier = {});

// Throws Error with exit code machine_cannot if most of the layers with a step cannot run: the rest
// says nothing about the network. The sentence names the kinds and numbers of refused layers, with
// the reason.
void require_max_layers(const Graph& graph, std::span<const Step> steps);

// ---- a lost device

// The run after a step made its device unusable: it is partial, that step has failed, no other is
// measured, and each says why. The same job in a new process leaves out what has failed and
// measures the rest.

// The planned `run` with the steps of the schedule, of which this one failed. Failures of earlier
// attempts stay.
void end_by_failure(Run& run, const Job& job, const StepFailure& failure);

// The same if the step is unknown or the run was already timed: measured results stay. The same job
// in a new process continues.
void end_by_loss(Run& run, const std::string& sentence);

// The layers' passes that lost the device in earlier attempts, not those with wrong values; empty
// if none did.
std::vector<Omission> omissions_of(const std::optional<Run>& earlier);

// Marks omitted steps as failed instead of skipped.
void mark_omitted(const std::vector<Omission>& omissions, Run& run);

// Whether a run ended this way.
bool lost_its_device(const Run& run);

// The message about the rest of a command whose device was lost: "The device was lost: 2 of 5 runs
// were not measured; ...".
std::string sentence_on_rest(std::size_t left, std::size_t all);

}  // namespace strata
