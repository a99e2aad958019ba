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

// A finding and the simulation's result.
struct ComparedFinding {
    PublishedFinding finding = {};
    std::optional<double> ours = {};  // for a numeric finding
    std::vector<StallReason> stalls =
        {};  // for top_stalls: as many as are published, largest first
    // How many of the published stalls are among ours. A sum matches either of its parts.
    std::size_t agreeing = 0;
};

// The simulation of the finding's network on a device; loads bypass the first-level cache or use it
// as the device does.
using SimulationOf = std::function<const SimulatedNetwork&(const std::string& device,
                                                           std::optional<bool> bypass_l1)>;

// The layers selected by a finding count together, in its pass. Stalls are shares of the time in
// which a resident warp does not issue, weighted by the kernels' time; the gain by bypassing L1
// compares queueing times (predict/stalls.h), because modelled times do not distinguish levels.
ComparedFinding compare_finding(const PublishedFinding& finding, const SimulationOf& simulation);

}  // namespace strata
