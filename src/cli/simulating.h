// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"
#include "predict/simulated_pass.h"

namespace strata {

// Simulates every pass of a network in the order of execution, each different problem once. A pass
// that cannot be simulated has a reason; one that moves nothing is left out.
SimulatedNetwork simulate_network(const Graph& graph, const Execution& execution,
                                  const DeviceDescription& device,
                                  const SimulationOptions& options);

}  // namespace strata
