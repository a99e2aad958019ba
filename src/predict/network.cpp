// SPDX-License-Identifier: MIT
#include "predict/network.h"

#include "graph/executed.h"
#include "graph/fuse.h"
#include "op/rules.h"
#include "predict/ceilings.h"
#include "predict/elementwise_chain.h"

#include <algorithm>
#include <map>
#include <span>

namespace strata {

Kernels sum_of_gradients(const Tensor& tensor, const Execution& execution,
                         const DeviceModel& device, const Device& ceilings) {
    static const Op add = Elementwise{ElementwiseKind::add};
    const Signature signature{{{tensor, Role::activation}, {tensor, Role::activation}}, {tensor}};
    const LayerPrediction found =
        predict_within(device, ceilings, {add, signature, Pass::forward, execution});
    const auto* kernels = std::get_if<Kernels>(&found);
    return kernels == nullptr ? Kernels() : *kernels;
}

namespace {

// One prediction under construction.
class NetworkPredictor {
public:
    NetworkPredictor(const Plan& plan, const Execution& execution, const DeviceModel& device)
        : plan_(plan),
          graph_(plan.graph),
          execution_(execution),
          device_(device),
          ceilings_(ceilings_of(device.device())),
          first_alike_(first_alike(graph_)),
          known_(graph_.layers.size()) {
        if (execution.engine.fusion == Fusion::convolution ||
            device.fusion() == LayerFusion::products) {
            for (const FusedChain& chain : fused_chains(graph_, execution.numerics.mode)) {
                for (const LayerId follower : chain.followers) {
                    first_of_[follower] = chain.first;
                }
                addends_[chain.first] = addend_of(chain);
            }
        } else if (device.fusion() == LayerFusion::elementwise &&
                   execution.numerics.mode == Mode::inference) {
            for (ElementwiseChain& chain : elementwise_chains(graph_, execution.numerics)) {
                const LayerId first = chain.layers.front();
                for (const LayerId follower : std::span(chain.layers).subspan(1)) {
                    first_of_[follower] = first;
                }
                chains_.emplace(first, std::move(chain));
            }
        }
    }

    NetworkPrediction run() {
        NetworkPrediction found;
        const std::vector<ScheduledStep> steps = steps_of(graph_, plan_.schedule);
        found.steps.reserve(steps.size());
        for (const ScheduledStep& step : steps) {
            if (step.summed) {
                add_sum(step, found.steps);
            } else {
                add(step.task, found.steps);
            }
        }
        wait_for_host(found.steps);
        found.beyond = device_.beyond_steps(found.time(), fed_values(graph_, execution_));
        return found;
    }

private:
    static void wait_for_host(std::vector<PredictedStep>& steps) {
        IssueQueue queue;
        for (PredictedStep& step : steps) {
            if (!step.kernels.empty()) {
                KernelPrediction& first = step.kernels.front();
                const Seconds wait = queue.wait(first.issue, step.time());
                first.terms[Term::launch] += wait;
                first.time += wait;
            }
        }
    }

    std::optional<TensorId> addend_of(const FusedChain& chain) const {
        return operations_of(graph_, graph_.layers[chain.first], chain.followers).addend;
    }

    void add(const Task& task, std::vector<PredictedStep>& steps) {
        const auto first = first_of_.find(task.layer);
        if (task.pass == Pass::forward && first != first_of_.end()) {
            steps.push_back({.layer = task.layer, .within = Task{first->second, Pass::forward}});
            return;
        }
        PredictedStep& step =
            steps.emplace_back(PredictedStep{.layer = task.layer, .pass = task.pass});
        const auto chain = task.pass == Pass::forward ? chains_.find(task.layer) : chains_.end();
        if (chain == chains_.end()) {
            take(prediction_of(task), step);
        } else {
            take(prediction_of(chain->second), step);
        }
        if (task.pass == Pass::forward) {
            add_addend(task.layer, step);
        }
    }

    static void take(const LayerPrediction& found, PredictedStep& step) {
        if (const auto* refused = std::get_if<NoModel>(&found)) {
            step.refusal = refused->reason;
        } else {
            step.kernels = std::get<Kernels>(found);
        }
    }

    using ByPass = std::array<std::optional<LayerPrediction>, all_passes.size()>;

    const LayerPrediction& prediction_of(const Task& task) {
        const LayerId first = first_alike_[task.layer];
        auto& prediction = known_[first][static_cast<std::size_t>(task.pass)];
        if (!prediction) {
            prediction = predict_within(
                device_, ceilings_,
                {graph_.layers[first].op, plan_.signatures[first], task.pass, execution_});
        }
        return *prediction;
    }

    // One kernel: that of the layer that takes longest, with the traffic of the chain.
    LayerPrediction prediction_of(const ElementwiseChain& chain) {
        Kernels longest;
        for (const LayerId layer : chain.layers) {
            const LayerPrediction& found = prediction_of({layer, Pass::forward});
            const auto* const kernels = std::get_if<Kernels>(&found);
            if (kernels == nullptr) {
                return found;
            }
            longest = time_of(*kernels) > time_of(longest) ? *kernels : longest;
        }
        if (longest.empty()) {
            return longest;  // each renames its operand
        }
        KernelPrediction& kernel = longest.front();
        const Seconds launch = kernel.terms[Term::launch];
        const double factor = chain.traffic / kernel.dram_traffic;
        kernel.name = "elementwise";
        kernel.terms[Term::dram] *= factor;
        kernel.time =
            launch + std::max((kernel.time - launch) * factor, kernel.terms[Term::latency]);
        kernel.dram_traffic = chain.traffic;
        kernel.l2_traffic = chain.traffic;
        return longest;
    }

    // The other operand that a fused sum reads: half of what copying it would move.
    void add_addend(LayerId layer, PredictedStep& step) const {
        const auto found = addends_.find(layer);
        if (found == addends_.end() || !found->second || step.kernels.empty()) {
            return;
        }
        const Bytes read = held_bytes(graph_.tensors[*found->second], execution_.numerics);
        KernelPrediction& kernel = step.kernels.front();
        const Seconds more = read / device_.device().dram_bandwidth->value;
        kernel.terms[Term::dram] += more;
        kernel.time += more;
        kernel.dram_traffic += read;
    }

    void add_sum(const ScheduledStep& step, std::vector<PredictedStep>& steps) const {
        Tensor tensor = graph_.tensors[*step.summed].tensor;
        tensor.dtype = execution_.numerics.dtype;
        steps.push_back({.layer = step.task.layer,
                         .pass = step.task.pass,
                         .kind = StepKind::accumulate,
                         .kernels = sum_of_gradients(tensor, execution_, device_, ceilings_),
                         .moved = 3 * tensor.bytes()});
    }

    const Plan& plan_;
    const Graph& graph_;
    const Execution& execution_;
    const DeviceModel& device_;
    Device ceilings_;
    std::vector<LayerId> first_alike_;
    std::vector<ByPass> known_;                           // by the first of identical layers
    std::map<LayerId, LayerId> first_of_;                 // a fused layer's chain
    std::map<LayerId, std::optional<TensorId>> addends_;  // by chain
    std::map<LayerId, ElementwiseChain> chains_;          // by its first layer
};

}  // namespace

Seconds NetworkPrediction::time() const {
    Seconds sum = beyond;
    for (const PredictedStep& step : steps) {
        sum += step.time();
    }
    return sum;
}

std::size_t NetworkPrediction::refused() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(steps, [](const auto& step) { return !step.refusal.empty(); }));
}

std::size_t NetworkPrediction::kernels() const {
    std::size_t count = 0;
    for (const PredictedStep& step : steps) {
        count += step.kernels.size();
    }
    return count;
}

NetworkPrediction predict_network(const Plan& plan, const Execution& execution,
                                  const DeviceModel& device) {
    return NetworkPredictor(plan, execution, device).run();
}

NetworkPrediction predict_network(const Graph& graph, const Execution& execution,
                                  const DeviceModel& device) {
    return predict_network(*plan_of(graph, execution.numerics), execution, device);
}

std::array<Seconds, rate_classes> time_by_rates(const NetworkPrediction& prediction) {
    std::array<Seconds, rate_classes> times{};
    for (const PredictedStep& step : prediction.steps) {
        for (const KernelPrediction& kernel : step.kernels) {
            times[static_cast<std::size_t>(kernel.rates)] += kernel.time;
        }
    }
    return times;
}

}  // namespace strata
