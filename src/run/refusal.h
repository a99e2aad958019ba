// SPDX-License-Identifier: MIT
#pragma once

#include "run/execute.h"

#include <optional>
#include <span>
#include <vector>

namespace strata {

// As `execute`; but where the machine cannot hold the network, that is the result: a complete run
// whose every step is skipped, with the reason. So a sweep continues with what fits.
Run execute_or_refuse(const Job& job, const Graph& graph, Backend& backend,
                      const Observer& observer, const std::optional<Run>& earlier = {});

// Throws Error with exit code machine_cannot where most of the layers that have a step cannot run:
// what is left of such a network says nothing about it. The sentence names what cannot run, by kind
// and number, with the reason.
void require_max_layers(const Graph& graph, std::span<const Step> steps);

// ---- a lost device

// What becomes of a run whose device one step made unusable: it is partial, that step has failed,
// no other is measured, and each says why. The same job, given again in a new process, leaves out
// what has failed and measures the rest.

// `run` as it was planned, with the steps of the schedule, of which this one failed. What earlier
// attempts failed at stays failed.
void end_by_failure(Run& run, const Graph& graph, const Execution& execution,
                    const StepFailure& failure);

// As above where it is not known which step did it, or where the run was timed already: what was
// measured stays. The same job, given again in a new process, continues.
void end_by_loss(Run& run, const std::string& sentence);

// The layers' passes that failed so in earlier attempts, and not by their values; empty where none
// did.
std::vector<Omission> omissions_of(const std::optional<Run>& earlier);

// Marks omitted steps as failed, not only skipped.
void mark_omitted(const std::vector<Omission>& omissions, Run& run);

// Whether a run ended so.
bool lost_its_device(const Run& run);

// What is left of a command whose device was lost, for the user: "The device was lost: 2 of 5 runs
// were not measured; ...".
std::string sentence_on_rest(std::size_t left, std::size_t all);

}  // namespace strata
