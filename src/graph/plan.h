// SPDX-License-Identifier: MIT
#pragma once

#include "graph/memory.h"
#include "graph/schedule.h"

#include <memory>
#include <vector>

namespace strata {

// A network as an execution with these numerics runs it: everything that both decide together. It
// is made once for a job and never changes, so whoever measures, tunes, profiles, predicts or shows
// the network reads the same one. Whatever else an execution has (threads, algorithms, omitted
// passes) changes none of it.
struct Plan {
    Graph graph;
    Numerics numerics;
    Schedule schedule;
    std::vector<Signature> signatures;  // by layer, in the types in which the execution holds them
    Footprint footprint;                // with shared memory
};

// What graph/memory.h computes, for a schedule that is already known.
std::vector<Buffer> lifetimes_of(const Graph& graph, const Execution& execution,
                                 const Schedule& schedule);
Footprint footprint_of(const Graph& graph, const Execution& execution, const Schedule& schedule);

std::shared_ptr<const Plan> plan_of(Graph graph, const Numerics& numerics);

}  // namespace strata
