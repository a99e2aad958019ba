// SPDX-License-Identifier: MIT
#include "cli/simulating.h"

#include "base/error.h"
#include "graph/executed.h"
#include "graph/schedule.h"
#include "op/problem.h"
#include "predict/device_model.h"

#include <map>
#include <utility>

namespace strata {

namespace {

ConvolutionAlgorithm algorithm_of(const std::optional<PlannedConvolution>& planned) {
    return !planned                                   ? ConvolutionAlgorithm::automatic
           : *planned == PlannedConvolution::winograd ? ConvolutionAlgorithm::winograd_4x4_3x3
                                                      : ConvolutionAlgorithm::implicit_gemm;
}

// The algorithm of a predicted convolution; empty for other layers.
std::string algorithm_in(const LayerPrediction& prediction) {
    const auto* const kernels = std::get_if<Kernels>(&prediction);
    return kernels != nullptr && !kernels->empty() && kernels->front().convolution
               ? kernels->front().algorithm
               : std::string();
}

// Simulates each different problem once.
class Simulator {
public:
    Simulator(const Execution& execution, const DeviceDescription& device,
              const SimulationOptions& options)
        : device_(device),
          rates_(rates_of(device.name)),
          model_(model_of(device)),
          execution_(execution),
          options_(options) {
        execution_.engine.algorithm = algorithm_of(options.convolution);
    }

    SimulatedStep step(const Graph& graph, const Task& task) {
        const Layer& layer = graph.layers[task.layer];
        const Signature signature = signature_of(graph, layer);
        const std::pair key(to_text(problem_of(layer.op, signature)), task.pass);
        auto known = known_.find(key);
        if (known == known_.end()) {
            SimulatedStep step{.layer = {}, .pass = task.pass};
            try {
                step.kernels = kernels_of({layer.op, signature, task.pass, execution_});
            } catch (const Error& error) {
                step.reason = error.what();
            }
            known = known_.emplace(key, std::move(step)).first;
        }
        SimulatedStep found = known->second;
        found.layer = layer.name;
        return found;
    }

private:
    std::vector<KernelSimulation> kernels_of(const LayerTask& task) const {
        if (renames_input(task.op, task.pass, task.execution.numerics.mode)) {
            return {};
        }
        const LayerPrediction predicted = model_->predict(task);
        SimulationOptions options = options_;
        const std::string algorithm = algorithm_in(predicted);
        std::string stands_for;
        if (!options.convolution && !algorithm.empty()) {
            options.convolution = value_named<PlannedConvolution>(
                algorithm == name_of(ConvolutionAlgorithm::winograd_4x4_3x3) ? "winograd"
                                                                             : algorithm);
            stands_for = options.convolution ? "" : " in place of " + algorithm;
        }
        std::vector<KernelSimulation> kernels =
            simulate_pass(task.op, task.signature, task.pass, device_, rates_, options);
        for (KernelSimulation& kernel : kernels) {
            kernel.name += stands_for;
        }
        take_time(predicted, kernels);
        keep_within_ceilings(kernels, device_);
        return kernels;
    }

    // Takes the pass's time from `strata predict`, without launches and within the ceilings, and
    // divides it among its kernels as in their plans.
    static void take_time(const LayerPrediction& predicted,
                          std::vector<KernelSimulation>& kernels) {
        const auto* const found = std::get_if<Kernels>(&predicted);
        Seconds planned, whole;
        for (const KernelSimulation& kernel : kernels) {
            planned += kernel.time;
        }
        for (const KernelPrediction& kernel : found == nullptr ? Kernels() : *found) {
            whole += kernel.time - kernel.terms[Term::launch];
        }
        if (planned > Seconds{} && whole > Seconds{}) {
            for (KernelSimulation& kernel : kernels) {
                kernel.time *= whole / planned;
            }
        }
    }

    const DeviceDescription& device_;
    DeviceRates rates_;
    std::unique_ptr<DeviceModel> model_;
    Execution execution_;
    SimulationOptions options_;
    std::map<std::pair<std::string, Pass>, SimulatedStep> known_;
};

}  // namespace

SimulatedNetwork simulate_network(const Graph& graph, const Execution& execution,
                                  const DeviceDescription& device,
                                  const SimulationOptions& options) {
    Simulator simulator(execution, device, options);
    SimulatedNetwork found{.network = graph.name, .batch = batch_of(graph), .device = device.name};
    for (const Task& task : schedule_of(graph, execution).tasks) {
        SimulatedStep step = simulator.step(graph, task);
        if (!step.kernels.empty() || !step.reason.empty()) {
            found.steps.push_back(std::move(step));
        }
    }
    return found;
}

}  // namespace strata
