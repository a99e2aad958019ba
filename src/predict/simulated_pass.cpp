// SPDX-License-Identifier: MIT
#include "predict/simulated_pass.h"

#include "base/error.h"
#include "predict/ceilings.h"

#include <algorithm>

namespace strata {

namespace {

void repeat(LevelCounts& level, double runs) {
    level.sectors *= runs;
    level.kinds *= runs;
    level.hits_error *= runs;
}

void repeat(SimulatedKernel& kernel, double runs) {
    if (kernel.l1) {
        repeat(*kernel.l1, runs);
    }
    repeat(kernel.l2, runs);
    kernel.dram_reads *= runs;
    kernel.dram_writes *= runs;
    kernel.blocks *= runs;
}

void add(LevelCounts& sum, const LevelCounts& more) {
    sum.sectors += more.sectors;
    sum.kinds += more.kinds;
    sum.hits_error += more.hits_error;  // (all kernels sample the same sets)
}

ConvolutionAlgorithm algorithm_of(const std::optional<PlannedConvolution>& planned) {
    return !planned                                   ? ConvolutionAlgorithm::automatic
           : *planned == PlannedConvolution::winograd ? ConvolutionAlgorithm::winograd_4x4_3x3
                                                      : ConvolutionAlgorithm::implicit_gemm;
}

Kernels kernels_of(const LayerTask& task, const DeviceModel& model,
                   ConvolutionAlgorithm algorithm) {
    Execution execution = task.execution;
    execution.engine.algorithm = algorithm;
    LayerPrediction found = model.predict({task.op, task.signature, task.pass, execution});
    if (const auto* const none = std::get_if<NoModel>(&found)) {
        throw Error(none->reason);
    }
    return std::get<Kernels>(std::move(found));
}

// The same kernel of a library's implicit product, in the time of the predicted algorithm.
KernelPrediction implicit_product(const LayerTask& task, const DeviceModel& model,
                                  const KernelPrediction& predicted) {
    KernelPrediction found = kernels_of(task, model, ConvolutionAlgorithm::implicit_gemm).front();
    const double factor = predicted.on_device() / found.on_device();
    found.time *= factor;
    for (Seconds& term : found.terms.values) {
        term *= factor;
    }
    return found;
}

KernelSimulation simulated(const KernelPlan& plan, const DeviceDescription& device,
                           const SimulationOptions& options) {
    const GpuMemory memory =
        memory_of(device, plan, options.bypass_l1.value_or(bypasses_l1(device)));
    KernelSimulation kernel{.name = plan.name,
                            .runs = plan.runs,
                            .time = plan.time * plan.runs,
                            .instructions = plan.instructions};
    kernel.traffic = simulate(*plan.accesses, memory, options.engine, options.most_accesses);
    kernel.stalls = stall_shares(plan, kernel.traffic, device);
    if (options.checks_engine) {
        kernel.check =
            simulate(*plan.accesses, memory, check_of(options.engine), options.most_accesses);
        repeat(*kernel.check, plan.runs);
    }
    kernel.instructions *= plan.runs;
    repeat(kernel.traffic, plan.runs);
    return kernel;
}

}  // namespace

std::vector<KernelSimulation> simulate_pass(const LayerTask& task, const DeviceModel& model,
                                            const SimulationOptions& options) {
    std::vector<KernelSimulation> found;
    for (KernelPrediction& predicted : kernels_of(task, model, algorithm_of(options.convolution))) {
        std::string stands_for;
        if (const auto* const own = predicted.convolution();
            own != nullptr && !has_known_accesses(*own)) {
            stands_for = " in place of " + predicted.algorithm;
            predicted = implicit_product(task, model, predicted);
        }
        for (const KernelPlan& plan : plan_kernel(task, predicted, model.device())) {
            found.push_back(simulated(plan, model.device(), options));
            found.back().name += stands_for;
        }
    }
    keep_within_ceilings(found, model.device());
    return found;
}

void keep_within_ceilings(std::vector<KernelSimulation>& kernels, const DeviceDescription& device) {
    constexpr double l1_bytes_per_clock = 128;  // a line
    const Device ceilings = ceilings_of(device);
    const auto bytes = [](double sectors) {
        return Bytes{sectors * static_cast<double>(sector_bytes)};
    };
    const auto clock = device.boost_clock ? device.boost_clock->value : device.base_clock->value;
    const Bandwidth l1{l1_bytes_per_clock * device.processors->value.value * clock.value};
    for (KernelSimulation& kernel : kernels) {
        const SimulatedKernel& traffic = kernel.traffic;
        Seconds least = bytes(traffic.dram_reads + traffic.dram_writes) /
                        ceilings.memory.back().bandwidth.value;
        least = std::max(
            least, bytes(traffic.l2.sectors.accesses()) / ceilings.memory.front().bandwidth.value);
        if (traffic.l1) {
            least = std::max(least, bytes(traffic.l1->sectors.accesses()) / l1);
        }
        kernel.time = std::max(kernel.time, least);
    }
}

SimulatedKernel sum_of(const std::vector<KernelSimulation>& kernels) {
    SimulatedKernel sum;
    double simulated_blocks = 0;
    bool all_have_l1 = true;
    LevelCounts l1;
    for (const KernelSimulation& kernel : kernels) {
        all_have_l1 = all_have_l1 && kernel.traffic.l1;
        add(l1, kernel.traffic.l1.value_or(LevelCounts()));
        add(sum.l2, kernel.traffic.l2);
        sum.dram_reads += kernel.traffic.dram_reads;
        sum.dram_writes += kernel.traffic.dram_writes;
        sum.blocks += kernel.traffic.blocks;
        simulated_blocks += kernel.traffic.blocks * kernel.traffic.simulated;
    }
    if (all_have_l1 && !kernels.empty()) {
        sum.l1 = l1;
    }
    sum.simulated = sum.blocks > 0 ? simulated_blocks / sum.blocks : 1;
    return sum;
}

}  // namespace strata
