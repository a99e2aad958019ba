// SPDX-License-Identifier: MIT
#pragma once

#include "predict/kernel_plan.h"
#include "predict/stalls.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// How layers are simulated.
struct SimulationOptions {
    CacheEngine engine = CacheEngine::distances;
    bool checks_engine = false;  // the other engine as well
    // Absent: what a prediction chooses, an implicit product where the accesses of that are not
    // known.
    std::optional<PlannedConvolution> convolution = {};
    std::optional<bool> bypass_l1 = {};  // absent: as the device does
    // After which the waves of a kernel are no longer simulated one by one.
    std::uint64_t most_accesses = 4'000'000;
};

// A kernel of a pass, and what it asks of memory in all its runs together.
struct KernelSimulation {
    std::string name = {};
    double runs = 1;
    Seconds time = {};  // modelled, of all runs
    Instructions instructions = {};
    StallShares stalls = {};
    SimulatedKernel traffic = {};
    std::optional<SimulatedKernel> check = {};  // by the other engine
};

// What the kernels of a pass ask of a GPU's memory and instructions. None: the pass moves nothing.
// Throws Error where plan_kernels, memory_of or simulate do.
std::vector<KernelSimulation> simulate_pass(const Op& op, const Signature& signature, Pass pass,
                                            const DeviceDescription& device,
                                            const DeviceRates& rates,
                                            const SimulationOptions& options);

// No kernel takes less than its transactions at the ceilings of each level: where a model's time,
// from which launches were taken that hide traffic, is shorter, that is the time.
void keep_within_ceilings(std::vector<KernelSimulation>& kernels, const DeviceDescription& device);

// The sum of kernels that run one after the other. A level counts if all of them have it.
SimulatedKernel sum_of(const std::vector<KernelSimulation>& kernels);

// A pass of a layer with its kernels, or why they are not known.
struct SimulatedStep {
    std::string layer = {};
    Pass pass = Pass::forward;
    std::vector<KernelSimulation> kernels = {};
    std::string reason = {};
};

// The passes of a network on a device.
struct SimulatedNetwork {
    std::string network = {};
    std::int64_t batch = 1;
    std::string device = {};
    std::vector<SimulatedStep> steps = {};
};

}  // namespace strata
