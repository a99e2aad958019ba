// SPDX-License-Identifier: MIT
#pragma once

#include "cli/options.h"

#include <string>
#include <vector>

namespace strata {

// The options of `strata calibrate --collectives`.
struct CollectiveOptions {
    std::string device;   // of a table, or the name of measured links; empty: host
    std::string library;  // of a table
    std::vector<std::string> from;
    bool no_wait = false;
    OutputOptions output;
};

// Fits links to the collectives of a table, or of the ranks that mpirun started, and writes them to
// this user's own links: DEVICE, by default host.
void calibrate_collectives(const CollectiveOptions& options);

}  // namespace strata
