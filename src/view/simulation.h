// SPDX-License-Identifier: MIT
#pragma once

#include "predict/simulated_pass.h"
#include "report/document.h"
#include "simulate/trace.h"

#include <string>

namespace strata {

// The accesses of each layer at each level of memory, and its warps' stalls, both modelled:
//
//   layer  pass     level  reads  hit      writes  hit  read     written  read rate  write rate ...
//   conv1  forward  L1     4.1 M  89.9 %   0.9 M        131 MB   29.2 MB  310 GB/s   69 GB/s
//   conv1  forward  L2     ...
//
//   layer  pass     kernel                   blocks  instructions  IPC   selected  long scoreboard
//   ... conv1  forward  implicit product 128x64  3025    12.1 M        2.31  57.8 %    3.1 %
Document simulation_document(const SimulatedNetwork& network, const SimulationOptions& options);

// A trace's hits in a cache; beside them the other engine's, if it was run.
Document trace_document(const std::string& name, const TraceCache& cache, CacheEngine engine,
                        const SimulatedTrace& found, const SimulatedTrace* check);

}  // namespace strata
