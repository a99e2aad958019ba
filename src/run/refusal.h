// SPDX-License-Identifier: MIT
#pragma once

#include "run/execute.h"

namespace strata {

// As `execute`; but where the machine cannot hold the network, that is the result: a complete run
// whose every step is skipped, with the reason. So a sweep continues with what fits.
Run execute_or_refuse(const Job& job, const Graph& graph, Backend& backend,
                      const Observer& observer, const std::optional<Run>& earlier = {});

// Throws Error with exit code machine_cannot where most of the layers that have a step cannot run:
// what is left of such a network says nothing about it. The sentence names what cannot run, by kind
// and number, with the reason.
void require_max_layers(const Graph& graph, std::span<const Step> steps);

}  // namespace strata
