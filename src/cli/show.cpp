// SPDX-License-Identifier: MIT
#include "view/show.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "device/description.h"
#include "networks/network.h"
#include "op/convention.h"
#include "run/memory.h"
#include "view/description.h"
#include "view/fit.h"
#include "view/grid.h"
#include "view/json.h"
#include "view/memory.h"
#include "view/work_sweep.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

struct ShowOptions {
    NetworkOptions network;
    OutputOptions output;
    std::string convention{conventions().front().name};
    Settings settings;
    bool memory = false;
    std::string fit;
    std::vector<std::string> devices;

    const Execution& execution() const { return settings.execution; }
    bool answers() const { return execution().numerics.mode == Mode::inference; }
};

Graph graph_of(const ShowOptions& options, const NetworkRequest& request) {
    return load_network(request, options.execution().numerics.mode);
}

// The output of a command: documents for people, or JSON, whose array holds networks or sweeps.
struct Shown {
    std::vector<Document> documents;
    Json list = Json::array();

    void add(const OutputOptions& output, auto&& document, auto&& json) {
        if (output.json) {
            list.push_back(json());
        } else {
            documents.push_back(document());
        }
    }
};

void show_one(const ShowOptions& options, const NetworkRequest& request, Shown& shown) {
    const Graph graph = graph_of(options, request);
    const Execution& execution = options.execution();
    const Convention& convention = find_convention(options.convention);
    shown.add(
        options.output, [&] { return show_document(graph, convention, execution); },
        [&] { return show_json(graph, convention, execution); });
}

NetworkRequest request_at(const ShowOptions& options, const std::string& network,
                          const std::vector<Variation>& variations,
                          const std::vector<std::int64_t>& values) {
    const auto batches =
        varies_batch(variations) ? std::vector<std::int64_t>() : batches_of(options.network);
    if (batches.size() > 1) {
        throw Error(
            fmt::format("--vary {} needs a single --batch: give one, or add --vary batch=RANGE",
                        printable(variations.front().name)),
            ExitCode::usage);
    }
    const auto batch = batches.empty() ? std::nullopt : std::optional(batches.front());
    return with_values(request_for(options.network, network, batch), variations, values);
}

// One row for the network at each value of the varied number.
void show_sweep(const ShowOptions& options, const std::string& network, const Variation& variation,
                Shown& shown) {
    const Execution& execution = options.execution();
    const Convention& convention = find_convention(options.convention);
    WorkSweep sweep{.variable = variation.name, .network = network, .points = {}};
    for (const std::int64_t value : variation.values) {
        const Graph graph = graph_of(options, request_at(options, network, {variation}, {value}));
        sweep.points.push_back(work_point_of(graph, value, convention, execution));
    }
    shown.add(
        options.output, [&] { return work_sweep_document(sweep, convention, execution); },
        [&] { return work_sweep_json(sweep, convention, execution); });
}

// The network at each combination of several varied numbers.
void show_grid(const ShowOptions& options, const std::string& network,
               const std::vector<Variation>& variations, Shown& shown) {
    const Execution& execution = options.execution();
    const Convention& convention = find_convention(options.convention);
    WorkGrid grid{
        .variables = {}, .values = combinations_of(variations), .network = network, .points = {}};
    for (const Variation& variation : variations) {
        grid.variables.push_back(variation.name);
    }
    for (const auto& values : grid.values) {
        const Graph graph = graph_of(options, request_at(options, network, variations, values));
        grid.points.push_back(work_point_of(graph, values.back(), convention, execution));
    }
    shown.add(
        options.output, [&] { return work_grid_document(grid, convention, execution); },
        [&] { return work_grid_json(grid, convention, execution); });
}

// Shows the largest batch that fits in memory, for training and for inference.
void show_fit(const ShowOptions& options, const std::string& network, Shown& shown) {
    Job job;
    job.request = request_for(options.network, network, std::nullopt);
    job.execution = options.execution();
    job.memory = memory_named(options.fit, "--fit");
    std::vector<Mode> modes = {Mode::training, Mode::inference};
    if (options.answers()) {
        modes.erase(modes.begin());
    }
    std::vector<FittingBatch> batches;
    for (const Mode mode : modes) {
        job.execution.numerics.mode = mode;
        const auto capacity = capacity_of(job, {});
        if (!capacity) {
            graph_of(options, request_for(options.network, network, 1));  // throws why
            throw Error(fmt::format("the batch of {} cannot be changed", printable(network)));
        }
        batches.push_back({mode, *capacity});
    }
    shown.documents.push_back(fit_document(network, job.execution, batches));
}

// Shows one batch layer by layer, or several side by side.
void show_memory(const ShowOptions& options, std::span<const NetworkRequest> requests,
                 Shown& shown) {
    const Execution& execution = options.execution();
    std::vector<Graph> graphs;
    for (const NetworkRequest& request : requests) {
        graphs.push_back(graph_of(options, request));
    }
    shown.add(
        options.output,
        [&] {
            return graphs.size() > 1 ? memory_by_batch_document(graphs, execution)
                                     : memory_document(graphs.front(), execution);
        },
        [&] { return memory_json(graphs, execution); });
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

// The aspect of each network that the command shows.
enum class Aspect { network, memory, sweep, grid, fit };

Aspect aspect_of(const ShowOptions& options, const std::vector<Variation>& variations) {
    if (!options.fit.empty()) {
        return Aspect::fit;
    }
    if (variations.size() > 1) {
        return Aspect::grid;
    }
    if (!variations.empty() && !(options.memory && variations.front().name == "batch")) {
        return Aspect::sweep;
    }
    return options.memory ? Aspect::memory : Aspect::network;
}

void print(Aspect aspect, Shown shown, const OutputOptions& output) {
    if (!output.json || aspect == Aspect::fit) {
        emit(shown.documents, output);
        return;
    }
    // Not an initializer list, which would copy a list that may be long.
    Json members = Json::object();
    if (aspect == Aspect::sweep || aspect == Aspect::grid) {
        members = {{"sweeps", Json::array()}, {"grids", Json::array()}};
        members[aspect == Aspect::sweep ? "sweeps" : "grids"] = std::move(shown.list);
        emit_json("work-sweep", std::move(members), output);
        return;
    }
    members["networks"] = std::move(shown.list);
    emit_json(aspect == Aspect::memory ? "memory" : "show", std::move(members), output);
}

void show_devices(const ShowOptions& options) {
    if (!options.network.networks.empty()) {
        throw Error("--device shows devices: omit the network", ExitCode::usage);
    }
    std::vector<Document> documents;
    for (const std::string& name : options.devices) {
        documents.push_back(description_document(find_description(name)));
    }
    emit(documents, options.output);
}

void show(const ShowOptions& options) {
    if (!options.devices.empty()) {
        return show_devices(options);
    }
    if (options.network.networks.empty()) {
        throw Error("name a network to show, or --device NAME", ExitCode::usage);
    }
    const auto variations = variations_of(options.network);
    if (!options.fit.empty() && (!variations.empty() || !options.network.batches.empty())) {
        throw Error("--fit finds the batch itself: omit --batch and --vary", ExitCode::usage);
    }
    const Aspect aspect = aspect_of(options, variations);
    Shown shown;
    for (const auto& network : options.network.networks) {
        if (aspect == Aspect::fit) {
            show_fit(options, network, shown);
            continue;
        }
        if (aspect == Aspect::grid) {
            show_grid(options, network, variations, shown);
            continue;
        }
        if (aspect == Aspect::sweep) {
            show_sweep(options, network, variations.front(), shown);
            continue;
        }
        const auto requests = requests_for(options, network);
        if (aspect == Aspect::memory) {
            show_memory(options, requests, shown);
            continue;
        }
        for (const NetworkRequest& request : requests) {
            show_one(options, request, shown);
        }
    }
    print(aspect, std::move(shown), options.output);
}

}  // namespace

void add_show(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<ShowOptions>();
    CLI::App* verb =
        app.add_subcommand("show",
                           "Show layers, shapes, parameters, work and memory of a network without "
                           "running it, or what is known about a device.");
    verb->footer(
        "strata show resnet-50 --batch 16 --convention multiply-add-2\n"
        "strata show resnet-50 --memory --batch 1..64\n"
        "strata show resnet-50 --fit 16GB\n"
        "strata show --device v100");
    add_network_options(*verb, options->network);
    verb->get_option("network")->required(false);
    add_vary_option(*verb, options->network);
    begin_group(*verb, "Counting");
    add_option(*verb, "--convention", options->convention,
               "convention for counting operations (see `strata list conventions`)")
        ->type_name("NAME");
    add_listed(*verb, option_named("dtype"), options->settings, "element type of activations");
    add_listed(*verb, option_named("optimizer"), options->settings);
    add_listed(*verb, option_named("mode"), options->settings);
    add_switch(*verb, "--memory", options->memory,
               "memory by layer and where it peaks; for several batches, the peaks side by side");
    add_option(
        *verb, "--fit", options->fit,
        "the largest batch that fits in this much memory, such as 16GB, for training and inference")
        ->type_name("SIZE");
    add_listed(*verb, option_named("first_layer_gradient"), options->settings,
               "also count the gradient of the network's input");
    add_option(
        *verb, "--device", options->devices,
        "instead of a network: a device's numbers and their sources; names from `strata list "
        "devices`, or files")
        ->delimiter(',')
        ->type_name("NAME");
    add_output_options(*verb, options->output);
    verb->callback([options] { show(*options); });
}

}  // namespace strata
