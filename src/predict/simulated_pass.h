// SPDX-License-Identifier: MIT
#pragma once

#include "predict/kernel_plan.h"
#include "predict/stalls.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// Algorithms of convolutions that can be asked for.
enum class PlannedConvolution { implicit_gemm, winograd };
inline constexpr std::array<std::string_view, 2> names_of(PlannedConvolution) {
    return {"implicit-gemm", "winograd"};
}

// Options of a layer simulation.
struct SimulationOptions {
    CacheEngine engine = CacheEngine::distances;
    bool checks_engine = false;  // also runs the other engine
    // Absent: the algorithm that a prediction chooses.
    std::optional<PlannedConvolution> convolution = {};
    std::optional<bool> bypass_l1 = {};  // absent: as on the device
    // The limit after which a kernel's waves are no longer simulated one by one.
    std::uint64_t most_accesses = 4'000'000;
};

// A kernel of a pass, and its total memory traffic in all runs.
struct KernelSimulation {
    std::string name = {};
    double runs = 1;
    Seconds time = {};  // modelled, of all runs, without launches
    Instructions instructions = {};
    StallShares stalls = {};
    SimulatedKernel traffic = {};
    std::optional<SimulatedKernel> check = {};  // by the other engine
};

// The kernels of a pass as the model predicts them for a GPU, with their traffic and instructions;
// none if the pass moves nothing. A convolution whose algorithm has no known accesses is simulated
// as an implicit product, in the predicted time. Throws Error if there is no prediction, and if
// plan_kernel, memory_of or simulate do.
std::vector<KernelSimulation> simulate_pass(const LayerTask& task, const DeviceModel& model,
                                            const SimulationOptions& options);

// No kernel is faster than its transactions at the ceilings of each level. A shorter time (of
// operations that the prediction counts as launches, or of traffic that a launch hides) is replaced
// by that time. simulate_pass has done this.
void keep_within_ceilings(std::vector<KernelSimulation>& kernels, const DeviceDescription& device);

// The sum of kernels that run in sequence. A level is included only if all of them have it.
SimulatedKernel sum_of(const std::vector<KernelSimulation>& kernels);

// A pass of a layer with its kernels, or the reason why they are not known.
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
