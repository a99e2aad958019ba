// SPDX-License-Identifier: MIT
#pragma once

#include "cli/predict_network.h"

#include <string>
#include <vector>

namespace strata {

// The options of `strata predict NETWORK --devices ...`; lists multiply the plans.
struct ParallelOptions {
    std::vector<std::string> devices;  // 1,2,4..1024
    std::vector<std::string> strategies = {"data"};
    std::vector<std::string> tensor = {"1"};
    std::vector<std::string> stages = {"1"};
    std::vector<std::string> overlaps = {"on"};
    std::vector<std::string> gradient_bits = {"32"};
    std::vector<std::string> buckets = {"25MB"};
    std::vector<std::string> zero = {"0"};
    int micro_batches = 1;
    bool recomputes = false;
    bool is_weak = false;
    std::string links;
    std::string algorithm;
    std::string spread = "0%";
    bool shows_layers = false;

    bool are_asked() const { return !devices.empty(); }
};

void add_parallel_options(CLI::App& verb, ParallelOptions& options);

// Predicts steps that several devices share. They are not stored.
ExitCode predict_divided(const PredictNetworkOptions& network, const ParallelOptions& options);

}  // namespace strata
