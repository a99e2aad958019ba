// SPDX-License-Identifier: MIT
#pragma once

#include "device/device.h"
#include "record/run.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strata {

// The time of an iteration with its 95 % interval; for a single sample both ends are the sample.
struct ObservedTime {
    Seconds median;
    Seconds low;
    Seconds high;
};

// A run in one line: what ran where, its hyperparameters and its results. Analyses of thousands of
// runs use it, because the steps of all runs would not fit in memory.
struct Observation {
    std::int64_t run = 0;
    Origin origin = Origin::measured;
    std::string backend = {};  // "onednn", "modelled:v100", "paradnn:tpu-v2-8"
    std::string network = {};
    std::string family = {};  // "fc" for "fc:layers=8,...", else the network itself
    std::string mode = {};
    std::string dtype = {};
    std::string version = {};  // of the backend's library; empty: unknown
    std::int64_t batch = 1;
    std::int64_t threads = 0;  // 0: unknown, or decided by the device
    // Numbers in the network's own text ("layers", "nodes"), then dimensions and variables.
    std::vector<std::pair<std::string, double>> parameters = {};
    std::optional<ObservedTime> time = {};   // time of a whole iteration
    std::string reason = {};                 // why there is no time
    Flops flops = {};                        // of an iteration; 0: not counted
    Bytes traffic = {};                      // compulsory; 0: not counted
    std::optional<std::size_t> device = {};  // index into Observations::devices
};

struct Observations {
    std::vector<Observation> runs = {};
    std::vector<Device> devices = {};  // the ceilings of the runs, each device once

    const Device* device_of(const Observation& run) const {
        return run.device ? &devices[*run.device] : nullptr;
    }
};

// The platform's short name: "v100" for "modelled:v100", "onednn" for "onednn".
std::string_view platform_of(const Observation& run);

// Splits a network's text into the family and its integer NAME=VALUE pairs.
void describe_network(std::string_view network, Observation& run);

// The hyperparameter of that name, including "batch" and "threads". Nothing if the run has none.
std::optional<double> parameter_of(const Observation& run, std::string_view name);

}  // namespace strata
