// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <cstddef>
#include <string>
#include <vector>

namespace strata {

// Selects steps of a run. Empty fields select all.
struct StepFilter {
    std::string layers;  // glob: "conv*,fc?", by name or by what the network's file calls it
    std::string passes;  // "forward,backward-data"
};

// The passes that a list names, or all if it is empty. Throws Error, exit code usage.
std::vector<Pass> passes_in(const std::string& list);

// Indices of the selected steps, layer by layer. Throws Error, exit code usage, if a pass is
// unknown or no layer matches.
std::vector<std::size_t> wanted_steps(const Run& run, const StepFilter& filter);

}  // namespace strata
