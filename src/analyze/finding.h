// SPDX-License-Identifier: MIT
#pragma once

#include "predict/simulated_pass.h"
#include "published/finding.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// A finding and what the simulation says.
struct ComparedFinding {
    PublishedFinding finding = {};
    std::optional<double> ours = {};       // of what is stated by a number
    std::vector<StallReason> stalls = {};  // of top_stalls: as many as are published, largest first
    // Of the published stalls, how many are among ours. A sum stands for either of its parts.
    std::size_t agreeing = 0;
};

// The simulation of the finding's network on a device; loads pass by the first-level cache or do as
// the device has it.
using SimulationOf = std::function<const SimulatedNetwork&(const std::string& device,
                                                           std::optional<bool> bypass_l1)>;

// Layers that a finding means count together, in its pass. Stalls are shares of the time in which a
// resident warp does not issue, weighted by the kernels' time; the gain by bypassing L1 compares
// times by queues (predict/stalls.h), since modelled times do not tell levels apart.
ComparedFinding compare_finding(const PublishedFinding& finding, const SimulationOf& simulation);

}  // namespace strata
