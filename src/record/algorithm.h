// SPDX-License-Identifier: MIT
#pragma once

#include "measure/measurement.h"
#include "op/work.h"

#include <optional>
#include <string>
#include <vector>

namespace strata {

// The result of one way of computing a layer's pass.
struct AlgorithmResult {
    std::string layer;    // the first of those that have this problem
    std::string problem;  // as one line of text that strata can run again
    int layers = 1;       // how many have it
    Pass pass = Pass::forward;
    std::string implementation;
    std::string notes;
    std::string layout;
    Bytes workspace;
    Flops flops;  // that the pass asks for, whatever the algorithm does
    Measurement time;
    std::optional<double> error;
};

// All of a network on one device.
struct AlgorithmComparison {
    std::string network;
    std::int64_t batch = 1;
    std::string dtype;
    std::string device;
    std::vector<AlgorithmResult> results;
};

}  // namespace strata
