// SPDX-License-Identifier: MIT
#include "view/show.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "graph/memory.h"
#include "op/convention.h"

#include <memory>

namespace strata {

namespace {

struct ShowOptions {
    NetworkOptions network;
    OutputOptions output;
    std::string convention{conventions().front().name};
    std::string dtype = "f32";
    bool inference = false;
    bool first_layer_gradient = false;
};

Execution execution_of(const ShowOptions& options) {
    Execution execution;
    execution.mode = options.inference ? Mode::inference : Mode::training;
    execution.dtype = parse_data_type(options.dtype);
    if (options.first_layer_gradient) {
        execution.first_layer_gradient = FirstLayerGradient::computed;
    }
    return execution;
}

void show_one(const ShowOptions& options, const NetworkRequest& request) {
    Graph graph = load_network(request);
    const Execution execution = execution_of(options);
    if (execution.mode == Mode::inference) {
        graph = for_inference(graph);
    }
    const Convention& convention = find_convention(options.convention);
    if (options.output.json) {
        emit(show_json(graph, convention, execution), options.output);
    } else {
        emit(show_document(graph, convention, execution), options.output);
    }
}

void show(const ShowOptions& options) {
    std::vector<std::optional<std::int64_t>> batches(options.network.batches.begin(),
                                                     options.network.batches.end());
    if (batches.empty()) {
        batches.emplace_back();
    }
    for (const auto& network : options.network.networks) {
        for (const auto& batch : batches) {
            show_one(options, request_for(options.network, network, batch));
        }
    }
}

}  // namespace

void add_show(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<ShowOptions>();
    CLI::App* verb = app.add_subcommand(
        "show", "Layers, shapes, parameters, work and memory of a network; nothing is executed.");
    verb->footer("Example: strata show resnet-50 --batch 16 --convention multiply-add-2");
    add_network_options(*verb, options->network);
    add_option(*verb, "--convention", options->convention,
               "how operations are counted (strata list conventions)");
    add_option(*verb, "--dtype", options->dtype, "element type of activations: f32 or bf16");
    add_switch(*verb, "--inference", options->inference, "forward only, without the loss");
    add_switch(*verb, "--first-layer-gradient", options->first_layer_gradient,
               "count the gradient of the network's input too");
    add_output_options(*verb, options->output);
    verb->callback([options] { show(*options); });
}

}  // namespace strata
