// SPDX-License-Identifier: MIT
#include "predict/network.h"

#include "graph/fuse.h"
#include "graph/graph.h"
#include "op/rules.h"

#include <algorithm>
#include <map>

namespace strata {

namespace {

// The layer's operands as a device holds them: activations in the run's type, whole numbers as they
// are, parameters in their own.
Signature signature_on_device(const Graph& graph, const Layer& layer, DataType dtype) {
    Signature signature = signature_of(graph, layer);
    for (Operand& operand : signature.inputs) {
        const bool is_data = operand.role == Role::activation || operand.role == Role::input;
        if (is_data && is_floating(operand.tensor.dtype)) {
            operand.tensor.dtype = dtype;
        }
    }
    for (Tensor& output : signature.outputs) {
        output.dtype = is_floating(output.dtype) ? dtype : output.dtype;
    }
    return signature;
}

// Sums two tensors of this shape.
Kernels sum_of_gradients(const Tensor& tensor, const Execution& execution,
                         const DeviceModel& device) {
    static const Op add = Elementwise{ElementwiseKind::add};
    const Signature signature{{{tensor, Role::activation}, {tensor, Role::activation}}, {tensor}};
    const LayerPrediction found = device.predict({add, signature, Pass::forward, execution});
    const auto* kernels = std::get_if<Kernels>(&found);
    return kernels == nullptr ? Kernels() : *kernels;
}

// One prediction under construction.
class NetworkPredictor {
public:
    NetworkPredictor(const Graph& graph, const Execution& execution, const DeviceModel& device)
        : graph_(graph),
          execution_(execution),
          device_(device),
          schedule_(schedule_of(graph, execution)),
          first_alike_(first_alike(graph)),
          known_(graph.layers.size()),
          has_gradient_(graph.tensors.size()) {
        if (execution.engine.fusion == Fusion::convolution) {
            for (const FusedChain& chain : fused_chains(graph, execution.numerics.mode)) {
                for (const LayerId follower : chain.followers) {
                    first_of_[follower] = chain.first;
                }
                addends_[chain.first] = addend_of(chain);
            }
        }
    }

    NetworkPrediction run() {
        NetworkPrediction found;
        found.steps.reserve(schedule_.tasks.size());
        for (const Task& task : schedule_.tasks) {
            add(task, found.steps);
        }
        found.beyond = device_.beyond_steps(found.time(), graph_, execution_);
        return found;
    }

private:
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
        const LayerPrediction& found = prediction_of(task);
        if (const auto* refused = std::get_if<NoModel>(&found)) {
            step.refusal = refused->reason;
        } else {
            step.kernels = std::get<Kernels>(found);
        }
        if (task.pass == Pass::forward) {
            add_addend(task.layer, step);
        } else if (task.pass == Pass::backward_data) {
            add_sums(task, *known_[first_alike_[task.layer]].signature, steps);
        }
    }

    // What is known of layers that are alike.
    struct Known {
        std::optional<Signature> signature;
        std::array<std::optional<LayerPrediction>, all_passes.size()> by_pass;
    };

    const LayerPrediction& prediction_of(const Task& task) {
        const LayerId first = first_alike_[task.layer];
        const Layer& layer = graph_.layers[first];
        Known& known = known_[first];
        if (!known.signature) {
            known.signature = signature_on_device(graph_, layer, execution_.numerics.dtype);
        }
        auto& prediction = known.by_pass[static_cast<std::size_t>(task.pass)];
        if (!prediction) {
            prediction = device_.predict({layer.op, *known.signature, task.pass, execution_});
        }
        return *prediction;
    }

    // What a fused sum reads besides: half of what copying it would move.
    void add_addend(LayerId layer, PredictedStep& step) const {
        const auto found = addends_.find(layer);
        if (found == addends_.end() || !found->second || step.kernels.empty()) {
            return;
        }
        const Bytes read = graph_.tensors[*found->second].tensor.bytes();
        KernelPrediction& kernel = step.kernels.front();
        const Seconds more = read / device_.device().dram_bandwidth->value;
        kernel.terms[Term::dram] += more;
        kernel.time += more;
        kernel.dram_traffic += read;
    }

    // The first layer that passes a gradient to a tensor writes it, each other adds to it.
    void add_sums(const Task& task, const Signature& signature, std::vector<PredictedStep>& steps) {
        const Layer& layer = graph_.layers[task.layer];
        for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
            const TensorId id = layer.inputs[i];
            if (!schedule_.needs_gradient[id] || !receives_gradient(signature.inputs[i])) {
                continue;
            }
            if (has_gradient_[id]) {
                const Tensor& tensor = signature.inputs[i].tensor;
                steps.push_back({.layer = task.layer,
                                 .pass = task.pass,
                                 .kind = StepKind::accumulate,
                                 .kernels = sum_of_gradients(tensor, execution_, device_),
                                 .moved = 3 * tensor.bytes()});
            }
            has_gradient_[id] = true;
        }
    }

    const Graph& graph_;
    const Execution& execution_;
    const DeviceModel& device_;
    Schedule schedule_;
    std::vector<LayerId> first_alike_;
    std::vector<Known> known_;  // by the first layer that is alike
    std::vector<bool> has_gradient_;
    std::map<LayerId, LayerId> first_of_;                 // a fused layer's chain
    std::map<LayerId, std::optional<TensorId>> addends_;  // by chain
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

NetworkPrediction predict_network(const Graph& graph, const Execution& execution,
                                  const DeviceModel& device) {
    return NetworkPredictor(graph, execution, device).run();
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
