// SPDX-License-Identifier: MIT
#include "view/show.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/sweep.h"
#include "cli/verbs.h"
#include "graph/parameter.h"
#include "op/convention.h"
#include "view/memory.h"
#include "view/work_sweep.h"

#include <fmt/format.h>

#include <memory>

namespace strata {

namespace {

struct ShowOptions {
    NetworkOptions network;
    OutputOptions output;
    std::string convention{conventions().front().name};
    std::string dtype = "f32";
    std::string optimizer{optimizer_names().front()};
    bool inference = false;
    bool memory = false;
    bool first_layer_gradient = false;
};

Execution execution_of(const ShowOptions& options) {
    Execution execution;
    execution.mode = options.inference ? Mode::inference : Mode::training;
    execution.dtype = parse_data_type(options.dtype);
    execution.optimizer = find_optimizer(options.optimizer);
    if (options.first_layer_gradient) {
        execution.first_layer_gradient = FirstLayerGradient::computed;
    }
    return execution;
}

Graph graph_of(const ShowOptions& options, const NetworkRequest& request) {
    Graph graph = load_network(request);
    if (options.inference) {
        return for_inference(graph);
    }
    return graph;
}

void show_one(const ShowOptions& options, const NetworkRequest& request) {
    const Graph graph = graph_of(options, request);
    const Execution execution = execution_of(options);
    const Convention& convention = find_convention(options.convention);
    if (options.output.json) {
        emit(show_json(graph, convention, execution), options.output);
    } else {
        emit(show_document(graph, convention, execution), options.output);
    }
}

NetworkRequest request_at(const ShowOptions& options, const std::string& network,
                          const Variation& variation, std::int64_t value) {
    const auto batches =
        variation.name == "batch" ? std::vector<std::int64_t>() : batches_of(options.network);
    if (batches.size() > 1) {
        throw Error(fmt::format("--vary {} goes with one --batch: give only one of them",
                                printable(variation.name)),
                    ExitCode::usage);
    }
    const auto batch = batches.empty() ? std::nullopt : std::optional(batches.front());
    return with_parameter(request_for(options.network, network, batch), variation.name, value);
}

// The network at each value of what is varied, a row each.
void show_sweep(const ShowOptions& options, const std::string& network,
                const Variation& variation) {
    const Execution execution = execution_of(options);
    const Convention& convention = find_convention(options.convention);
    WorkSweep sweep{.variable = variation.name, .network = network, .points = {}};
    for (const std::int64_t value : variation.values) {
        const Graph graph = graph_of(options, request_at(options, network, variation, value));
        sweep.points.push_back(work_point_of(graph, value, convention, execution));
    }
    if (options.output.json) {
        emit(work_sweep_json(sweep, convention, execution), options.output);
    } else {
        emit(work_sweep_document(sweep, convention, execution), options.output);
    }
}

// One batch layer by layer, several beside each other.
void show_memory(const ShowOptions& options, std::span<const NetworkRequest> requests) {
    const Execution execution = execution_of(options);
    std::vector<Graph> graphs;
    for (const NetworkRequest& request : requests) {
        graphs.push_back(graph_of(options, request));
    }
    const bool several = graphs.size() > 1;
    if (options.output.json) {
        emit(several ? memory_by_batch_json(graphs, execution)
                     : memory_json(graphs.front(), execution),
             options.output);
    } else {
        emit(several ? memory_by_batch_document(graphs, execution)
                     : memory_document(graphs.front(), execution),
             options.output);
    }
}

std::vector<NetworkRequest> requests_for(const ShowOptions& options, const std::string& network) {
    const auto given = batches_of(options.network);
    std::vector<std::optional<std::int64_t>> batches(given.begin(), given.end());
    if (batches.empty()) {
        batches.emplace_back();
    }
    std::vector<NetworkRequest> requests;
    for (const auto& batch : batches) {
        requests.push_back(request_for(options.network, network, batch));
    }
    return requests;
}

void show(const ShowOptions& options) {
    const auto variation = variation_of(options.network);
    for (const auto& network : options.network.networks) {
        if (variation && !(options.memory && variation->name == "batch")) {
            show_sweep(options, network, *variation);
            continue;
        }
        const auto requests = requests_for(options, network);
        if (options.memory) {
            show_memory(options, requests);
            continue;
        }
        for (const NetworkRequest& request : requests) {
            show_one(options, request);
        }
    }
}

}  // namespace

void add_show(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<ShowOptions>();
    CLI::App* verb = app.add_subcommand(
        "show", "Layers, shapes, parameters, work and memory of a network; nothing is executed.");
    verb->footer(
        "strata show resnet-50 --batch 16 --convention multiply-add-2\n"
        "strata show resnet-50 --memory --batch 1..64");
    add_network_options(*verb, options->network);
    add_vary_option(*verb, options->network);
    begin_group(*verb, "Counting");
    add_option(*verb, "--convention", options->convention,
               "how operations are counted (`strata list conventions`)")
        ->type_name("NAME");
    add_option(*verb, "--dtype", options->dtype, "element type of activations")
        ->type_name("f32|bf16");
    add_option(*verb, "--optimizer", options->optimizer, "of the update; sgd is without momentum")
        ->type_name(optimizer_choices());
    add_switch(*verb, "--inference", options->inference, "forward only, without the loss");
    add_switch(*verb, "--memory", options->memory,
               "memory by layer and where it peaks; of several batches the peaks side by side");
    add_switch(*verb, "--first-layer-gradient", options->first_layer_gradient,
               "count the gradient of the network's input too");
    add_output_options(*verb, options->output);
    verb->callback([options] { show(*options); });
}

}  // namespace strata
