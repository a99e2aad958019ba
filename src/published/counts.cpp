// SPDX-License-Identifier: MIT
#include "published/counts.h"

#include "base/error.h"
#include "base/text.h"
#include "graph/memory.h"
#include "networks/network.h"
#include "op/convention.h"
#include "op/convention/executed.h"
#include "published/networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace strata {

namespace {

bool is_chosen(const Counted& counted, const Layer& layer) {
    return matches_glob(counted.layers, layer.name) &&
           (counted.except.empty() || !matches_glob(counted.except, layer.name));
}

bool is_asked(std::string_view passes, Pass pass) {
    const bool backward = pass == Pass::backward_data || pass == Pass::backward_weights;
    return passes == name_of(pass) || (passes == "backward" && backward) ||
           (passes == "training" && (backward || pass == Pass::forward));
}

void require_passes(const Counted& counted) {
    if (std::ranges::none_of(all_passes,
                             [&](Pass pass) { return is_asked(counted.passes, pass); })) {
        throw Error(
            fmt::format("\"{}\" are not passes; use one of forward, backward_data, "
                        "backward_weights, update, backward, training",
                        printable(counted.passes)));
    }
}

// The sum over the scheduled tasks of chosen layers and passes.
template <class Value>
double sum_over_tasks(const Counted& counted, const Graph& graph, Value value) {
    require_passes(counted);
    const Execution execution = {
        .numerics = {.first_layer_gradient = counted.first_layer_gradient}};
    double sum = 0;
    for (const Task& task : schedule_of(graph, execution).tasks) {
        const Layer& layer = graph.layers[task.layer];
        if (is_chosen(counted, layer) && is_asked(counted.passes, task.pass)) {
            sum += value(layer, task.pass);
        }
    }
    return sum;
}

double operations(const Counted& counted, const Graph& graph) {
    const Convention& convention = find_convention(counted.convention);
    return sum_over_tasks(counted, graph, [&](const Layer& layer, Pass pass) {
        return count(layer.op, signature_of(graph, layer), pass, convention).value;
    });
}

double kernel_operations(const Counted& counted, const Graph& graph) {
    const ExecutedKernel& kernel = find_executed_kernel(counted.kernel);
    return sum_over_tasks(counted, graph, [&](const Layer& layer, Pass) {
        return kernel.count(layer.op, signature_of(graph, layer)).value_or(0);
    });
}

double passes(const Counted& counted, const Graph& graph) {
    return sum_over_tasks(counted, graph, [](const Layer&, Pass) { return 1.0; });
}

// The trained values of at least this rank; parameters shared by several layers count once.
double trained_values(const Counted& counted, const Graph& graph, std::size_t min_rank) {
    std::set<TensorId> seen;
    double sum = 0;
    for (const Layer& layer : graph.layers) {
        for (const TensorId id : layer.inputs) {
            const GraphTensor& tensor = graph.tensors[id];
            if (is_chosen(counted, layer) && tensor.role == Role::parameter &&
                tensor.tensor.dims.size() >= min_rank && seen.insert(id).second) {
                sum += static_cast<double>(tensor.tensor.elements());
            }
        }
    }
    return sum;
}

double parameters(const Counted& counted, const Graph& graph) {
    return trained_values(counted, graph, 0);
}

double weights(const Counted& counted, const Graph& graph) {
    return trained_values(counted, graph, 2);
}

double outputs(const Counted& counted, const Graph& graph) {
    double sum = 0;
    for (const Layer& layer : graph.layers) {
        for (const TensorId id : layer.outputs) {
            const Tensor& tensor = graph.tensors[id].tensor;
            sum += is_chosen(counted, layer) ? static_cast<double>(tensor.elements()) : 0;
        }
    }
    return sum;
}

// The elements of the network's inputs, without labels.
double inputs(const Counted&, const Graph& graph) {
    double sum = 0;
    for (const TensorId id : graph.inputs) {
        const GraphTensor& tensor = graph.tensors[id];
        sum += tensor.role == Role::input ? static_cast<double>(tensor.tensor.elements()) : 0;
    }
    return sum;
}

double caffe_data(const Counted&, const Graph& graph) {
    return caffe_data_bytes(graph).value;
}

double caffe_training(const Counted&, const Graph& graph) {
    return caffe_training_bytes(graph).value;
}

struct CountEntry {
    std::string_view name;
    double (*count)(const Counted& counted, const Graph& graph);
};

// THE list.
constexpr std::array counts = {
    CountEntry{"operations", operations},     // operations of the passes, by the convention
    CountEntry{"kernel", kernel_operations},  // operations that one kernel executes, forward
    CountEntry{"passes", passes},             // kernels of a training step
    CountEntry{"parameters", parameters},     // trained values
    CountEntry{"weights", weights},  // trained values of two axes or more: no biases, no scales
    CountEntry{"outputs", outputs},  // elements that the layers compute
    CountEntry{"inputs", inputs},    // elements of the network's inputs
    CountEntry{"caffe-data-bytes", caffe_data},         // of the whole network
    CountEntry{"caffe-training-bytes", caffe_training}  // of the whole network
};

const CountEntry& find_count(std::string_view name) {
    const auto found = std::ranges::find(counts, name, &CountEntry::name);
    if (found == counts.end()) {
        throw Error(fmt::format("\"{}\" cannot be counted", printable(name)));
    }
    return *found;
}

void require_layers(const Counted& counted, const Graph& graph) {
    if (std::ranges::none_of(graph.layers,
                             [&](const Layer& layer) { return is_chosen(counted, layer); })) {
        throw Error(fmt::format("{}: no layer matches \"{}\" without \"{}\"", printable(graph.name),
                                printable(counted.layers), printable(counted.except)));
    }
}

Graph made(const std::string& network, std::optional<std::int64_t> batch) {
    if (const PublishedNetwork* own = find_published_network(network)) {
        return own->build(batch.value_or(1));
    }
    return load_network({.network = network, .batch = batch, .dims = {}, .variables = {}});
}

}  // namespace

const Graph& CountedNetworks::get(const std::string& network, std::optional<std::int64_t> batch) {
    const std::pair key(network, batch);
    auto found = graphs_.find(key);
    if (found == graphs_.end()) {
        found = graphs_.emplace(key, made(network, batch)).first;
    }
    return found->second;
}

double count(const Counted& counted, CountedNetworks& networks) {
    const Graph& graph = networks.get(counted.network, counted.batch);
    require_layers(counted, graph);
    return find_count(counted.what).count(counted, graph);
}

}  // namespace strata
