// SPDX-License-Identifier: MIT
#include "view/layer_work.h"

#include "graph/executed.h"
#include "graph/schedule.h"
#include "networks/network.h"
#include "op/problem.h"

#include <algorithm>

namespace strata {

namespace {

std::vector<Dims> activation_shapes(const Layer& layer, const Signature& signature) {
    std::vector<Dims> shapes;
    for (const auto& operand : problem_of(layer.op, signature).activations) {
        shapes.push_back(operand.tensor.dims);
    }
    return shapes;
}

std::int64_t parameters_in(const Signature& signature) {
    std::int64_t count = 0;
    for (const auto& operand : signature.inputs) {
        count += operand.role == Role::parameter ? operand.tensor.elements() : 0;
    }
    return count;
}

PassWork pass_work(const Op& op, const Signature& signature, Pass pass,
                   const Convention& convention, const UpdateCost& update) {
    const Work work = work_of(op, signature, pass, update);
    return {count(op, signature, pass, convention, update), work.read, work.written};
}

LayerWork layer_work(const Graph& graph, const Layer& layer) {
    const Signature signature = signature_of(graph, layer);
    LayerWork work;
    work.inputs = activation_shapes(layer, signature);
    work.output = signature.outputs.empty() ? Dims{} : signature.outputs.front().dims;
    work.parameters = parameters_in(signature);
    return work;
}

bool has_loss(const Graph& graph) {
    return std::ranges::any_of(graph.layers, [](const Layer& layer) {
        return std::holds_alternative<SoftmaxCrossEntropy>(layer.op);
    });
}

// Copies the graph only if inference changes it.
Footprint footprint_in(const Graph& graph, Execution execution, Mode mode) {
    execution.numerics.mode = mode;
    return mode == Mode::inference && has_loss(graph)
               ? footprint_of(for_inference(graph), execution)
               : footprint_of(graph, execution);
}

// Unknown work is missing, not zero.
void drop_unknown(NetworkWork& network) {
    for (auto& sum : network.passes) {
        sum = network.uncounted > 0 && sum->flops.value == 0 ? std::nullopt : sum;
    }
}

}  // namespace

NetworkWork work_of(const Graph& graph, const Convention& convention, const Execution& execution) {
    const UpdateCost update = cost_of(execution.numerics.optimizer);
    NetworkWork network;
    network.passes.fill(PassWork());
    for (const auto& layer : graph.layers) {
        network.layers.push_back(layer_work(graph, layer));
    }
    for (const auto& task : schedule_of(graph, execution).tasks) {
        const Layer& layer = graph.layers[task.layer];
        if (!is_counted(layer.op)) {
            ++network.uncounted;
            continue;
        }
        const auto pass = static_cast<std::size_t>(task.pass);
        if (renames_input(layer.op, task.pass, execution.numerics.mode)) {
            network.layers[task.layer].passes[pass] = PassWork{};
            continue;
        }
        const PassWork work =
            pass_work(layer.op, executed(signature_of(graph, layer), execution.numerics), task.pass,
                      convention, update);
        network.layers[task.layer].passes[pass] = work;
        network.passes[pass]->flops += work.flops;
        network.passes[pass]->read += work.read;
        network.passes[pass]->written += work.written;
    }
    drop_unknown(network);
    network.parameters = parameter_count(graph);
    network.training = footprint_in(graph, execution, Mode::training);
    network.inference = footprint_in(graph, execution, Mode::inference);
    network.caffe_data = caffe_data_bytes(graph);
    return network;
}

}  // namespace strata
