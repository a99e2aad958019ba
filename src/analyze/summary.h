// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/budget.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// A step's time, and its share of the sum of all steps' medians. An incomplete run has no shares,
// because its total time is unknown.
struct StepTime {
    std::optional<Estimate> time;  // nothing if it was skipped or failed
    std::optional<double> share = {};
    // The time of an empty step over this one's; nothing if it was not measured.
    std::optional<double> stamp_share = {};

    // Whether the time stamps are over a tenth of its time, so that it says little about the step.
    bool is_near_empty() const { return stamp_share.value_or(0) > 0.1; }
};

// All measured steps of one pass together.
struct PassTotal {
    Pass pass = Pass::forward;
    Seconds time;
    std::optional<double> share = {};
    Flops flops;
    Bytes traffic;
};

// All measured steps of one layer: its passes with their reorders and accumulations.
struct LayerTotal {
    std::string layer;
    std::string operation;
    std::array<std::optional<Seconds>, all_passes.size()> passes;  // by Pass
    Seconds time;
    std::optional<double> share = {};
};

// A run's times, ordered for display.
struct Summary {
    std::vector<StepTime> steps;     // in the order of Run::steps
    std::vector<LayerTotal> layers;  // in the order of the network
    std::vector<PassTotal> passes;   // only those that occur
    Budget budget;
};

Summary summarise(const Run& run);

// Adds a part's share to a total; a missing share adds nothing.
void add_share(std::optional<double>& whole, std::optional<double> part);

// Indices of the run's steps by layer in network order, then by pass: the order in which readers
// look for a layer. Run::steps is in the order of execution.
std::vector<std::size_t> steps_by_layer(const Run& run);

}  // namespace strata
