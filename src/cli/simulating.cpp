// SPDX-License-Identifier: MIT
#include "cli/simulating.h"

#include "base/error.h"
#include "graph/schedule.h"
#include "op/problem.h"

#include <map>
#include <utility>

namespace strata {

namespace {

// Simulates each different problem once.
class Simulator {
public:
    Simulator(const Execution& execution, const DeviceDescription& device,
              const SimulationOptions& options)
        : model_(model_of(device)), execution_(execution), options_(options) {}

    SimulatedStep step(const Graph& graph, const Task& task) {
        const Layer& layer = graph.layers[task.layer];
        const Signature signature = signature_of(graph, layer);
        const std::pair key(to_text(problem_of(layer.op, signature)), task.pass);
        auto known = known_.find(key);
        if (known == known_.end()) {
            SimulatedStep step{.layer = {}, .pass = task.pass};
            try {
                step.kernels =
                    simulate_pass({layer.op, signature, task.pass, execution_}, *model_, options_);
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
    std::unique_ptr<DeviceModel> model_;
    const Execution& execution_;
    const SimulationOptions& options_;
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
