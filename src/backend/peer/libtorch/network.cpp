// SPDX-License-Identifier: MIT
#include "backend/peer/libtorch/network.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <set>
#include <string_view>

namespace strata::libtorch {

namespace {

using Ids = std::vector<std::size_t>;

std::vector<ToldLayer> layers_in(const Json& network, const std::vector<ToldTensor>& tensors) {
    std::vector<ToldLayer> layers;
    for (const Json& told : network.at("layers")) {
        ToldLayer& layer = layers.emplace_back();
        layer.type = told.at("type");
        layer.kind = told.at("kind");
        layer.attributes = told.at("attributes");
        layer.inputs = told.at("inputs").get<Ids>();
        layer.outputs = told.at("outputs").get<Ids>();
        for (const std::size_t tensor : layer.outputs) {
            layer.result_dims.push_back(tensors.at(tensor).dims);
        }
    }
    return layers;
}

std::vector<ToldTask> tasks_in(const Json& network) {
    std::vector<ToldTask> tasks;
    for (const Json& told : network.at("tasks")) {
        ToldTask& task = tasks.emplace_back();
        task.layer = told.at("layer");
        task.pass = told.at("pass");
        for (const Json& gradient : told.at("gradients")) {
            task.gradients.push_back({gradient.at("operand"), gradient.at("first")});
        }
        task.parameters = told.value("parameters", Ids());
        task.omitted = told.value("omitted", std::string());
    }
    return tasks;
}

std::vector<bool> marked(const Ids& ids, std::size_t count) {
    std::vector<bool> marks(count);
    for (const std::size_t id : ids) {
        marks.at(id) = true;
    }
    return marks;
}

// By layer, the activations that no later layer reads and that are neither outputs nor starts.
std::vector<Ids> last_readers(const Network& network) {
    std::map<std::size_t, std::size_t> last;
    for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
        for (const Ids* ids : {&network.layers[layer].inputs, &network.layers[layer].outputs}) {
            for (const std::size_t tensor : *ids) {
                last[tensor] = layer;
            }
        }
    }
    std::vector<Ids> dying(network.layers.size());
    for (const auto& [tensor, layer] : last) {
        if (network.tensors[tensor].role == "activation" && !network.is_end[tensor]) {
            dying[layer].push_back(tensor);
        }
    }
    return dying;
}

}  // namespace

Network::Network(const Json& request) : file_(request.at("file")), places_(request.at("values")) {
    const Json& told = request.at("network");
    for (const Json& tensor : told.at("tensors")) {
        tensors.push_back({tensor.at("dims").get<Dims>(), tensor.at("dtype"), tensor.at("role")});
    }
    layers = layers_in(told, tensors);
    tasks = tasks_in(told);
    outputs = told.at("outputs").get<Ids>();
    needs_gradient = marked(told.at("needs_gradient").get<Ids>(), tensors.size());
    gradient_given = told.at("gradient_given").get<Ids>();
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        if (is_loss(layer)) {
            starts.insert(starts.end(), layers[layer].outputs.begin(), layers[layer].outputs.end());
        }
    }
    starts.insert(starts.end(), gradient_given.begin(), gradient_given.end());
    Ids ends = outputs;
    ends.insert(ends.end(), starts.begin(), starts.end());
    is_end = marked(ends, tensors.size());
    forget_after = last_readers(*this);
    training = told.at("mode") == "training";
    kept = told.at("kept");
    images_last = told.at("layout") == "nhwc";
    seed = told.at("seed");
    optimizer = told.at("optimizer");
}

void Network::for_each_value(
    const std::function<void(const Json& place, std::vector<float>& values)>& use) const {
    std::ifstream file(file_, std::ios::binary);
    for (const Json& place : places_) {
        std::vector<float> values(place.at("count").get<std::size_t>());
        const auto size = static_cast<std::streamsize>(values.size() * sizeof(float));
        file.seekg(place.at("offset").get<std::streamoff>() *
                   static_cast<std::streamoff>(sizeof(float)));
        if (!file.read(reinterpret_cast<char*>(values.data()), size)) {
            throw Refusal(file_ + " is shorter than the network's values");
        }
        use(place, values);
    }
}

namespace {

// Whether one kernel, or one pass back through time, gives the gradients of data and weights.
bool gives_both_gradients(const ToldLayer& layer) {
    static constexpr std::array<std::string_view, 5> all = {"attention", "batch_normalization",
                                                            "group_normalization",
                                                            "layer_normalization", "recurrent"};
    return std::ranges::find(all, layer.type) != all.end();
}

void join_gradients(const Network& network, Plan& plan) {
    std::map<std::size_t, std::size_t> data;  // by layer, the task that gives its data's gradients
    for (std::size_t i = 0; i < network.tasks.size(); ++i) {
        plan.operands.push_back(network.tasks[i].gradients);
        if (network.tasks[i].pass == "backward_data") {
            data[network.tasks[i].layer] = i;
        }
    }
    for (std::size_t i = 0; i < network.tasks.size(); ++i) {
        const ToldTask& task = network.tasks[i];
        if (task.pass == "backward_weights" && data.contains(task.layer) &&
            gives_both_gradients(network.layers[task.layer])) {
            auto& joined = plan.operands[data[task.layer]];
            joined.insert(joined.end(), task.gradients.begin(), task.gradients.end());
            plan.included_in[i] = data[task.layer];
        }
    }
}

// The last task that reads each value, each gradient, and each layer's saved tensors.
struct LastReads {
    explicit LastReads(const Network& network) {
        for (std::size_t i = 0; i < network.tasks.size(); ++i) {
            const ToldTask& task = network.tasks[i];
            const ToldLayer& layer = network.layers[task.layer];
            if (task.pass == "update") {
                mark(gradients, task.parameters, i);
                continue;
            }
            saved[task.layer] = i;
            mark(task.pass == "forward" ? values : gradients, layer.outputs, i);
            if (task.pass == "forward") {
                mark(values, layer.inputs, i);
            }
        }
    }

    static void mark(std::map<std::size_t, std::size_t>& last,
                     const std::vector<std::size_t>& tensors, std::size_t task) {
        for (const std::size_t tensor : tensors) {
            last[tensor] = task;
        }
    }

    std::map<std::size_t, std::size_t> values, gradients, saved;
};

void plan_releases(const Network& network, Plan& plan) {
    const LastReads last(network);
    std::set<std::size_t> kept(network.outputs.begin(), network.outputs.end());
    kept.insert(network.gradient_given.begin(), network.gradient_given.end());
    for (const auto& [tensor, task] : last.values) {
        if (!kept.contains(tensor) && network.tensors[tensor].role == "activation") {
            plan.releases[task].values.push_back(tensor);
        }
    }
    for (const auto& [tensor, task] : last.gradients) {
        if (!kept.contains(tensor)) {
            plan.releases[task].gradients.push_back(tensor);
        }
    }
    for (const auto& [layer, task] : last.saved) {
        plan.releases[task].saved.push_back(layer);
    }
}

}  // namespace

Plan plan_of(const Network& network) {
    Plan plan;
    plan.included_in.resize(network.tasks.size());
    plan.releases.resize(network.tasks.size());
    join_gradients(network, plan);
    if (!network.kept) {
        plan_releases(network, plan);
    }
    return plan;
}

}  // namespace strata::libtorch
