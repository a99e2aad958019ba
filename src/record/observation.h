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

// The time of an iteration with its 95 % interval; a single sample's ends are the sample.
struct ObservedTime {
    Seconds median;
    Seconds low;
    Seconds high;
};

// A run in one line: what ran where, its hyperparameters, and what came of it. What analyses of
// thousands of runs work on, whose steps would not fit in memory.
struct Observation {
    std::int64_t run = 0;
    Origin origin = Origin::measured;
    std::string backend = {};  // "onednn", "modelled:v100", "paradnn:tpu-v2-8"
    std::string network = {};
    std::string family = {};  // "fc" of "fc:layers=8,...", else the network itself
    std::string mode = {};
    std::string dtype = {};
    std::string version = {};  // of the backend's library; empty: unknown
    std::int64_t batch = 1;
    std::int64_t threads = 0;  // 0: not known, or a device's own
    // Numbers in the network's own text, "layers" and "nodes", then dimensions and variables.
    std::vector<std::pair<std::string, double>> parameters = {};
    std::optional<ObservedTime> time = {};   // of a whole iteration
    std::string reason = {};                 // why there is none
    Flops flops = {};                        // of an iteration; 0: none were counted
    Bytes traffic = {};                      // compulsory; 0: not counted
    std::optional<std::size_t> device = {};  // place among Observations::devices
};

struct Observations {
    std::vector<Observation> runs = {};
    std::vector<Device> devices = {};  // ceilings that runs are judged by, each once

    const Device* device_of(const Observation& run) const {
        return run.device ? &devices[*run.device] : nullptr;
    }
};

// The platform's short name: "v100" of "modelled:v100", "onednn" of "onednn".
std::string_view platform_of(const Observation& run);

// Splits a network's text: the family, and NAME=VALUE of whole numbers.
void describe_network(std::string_view network, Observation& run);

// The hyperparameter of that name; "batch" and "threads" are some. Nothing where the run has none.
std::optional<double> parameter_of(const Observation& run, std::string_view name);

}  // namespace strata
