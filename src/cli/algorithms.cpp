// SPDX-License-Identifier: MIT
#include "run/algorithms.h"
#include "backend/module.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/backends.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "view/algorithms.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <memory>

namespace strata {

namespace {

struct AlgorithmsOptions {
    NetworkOptions network;
    OutputOptions output;
    std::string backend{backends().front().name};
    std::string device;  // description of a GPU, which need not be present
    // Limits for each algorithm, because there are many.
    Settings settings{
        .policy = {.min_time = Seconds{0.05}, .max_time = Seconds{1}, .precision = 0.02}};
    bool no_wait = false;
};

// The GPU's own lists, for a device that is present or only described; otherwise the algorithms
// that an execution can request.
AlgorithmComparison compared(Session& session, const AlgorithmsOptions& options,
                             const Graph& graph) {
    const Execution& execution = options.settings.execution;
    const BackendEntry& entry = find_backend(options.backend);
    if (entry.lists_algorithms || !options.device.empty()) {
        return offered_algorithms(graph, execution, *open_algorithm_source("cuda", options.device));
    }
    require_ability(entry, options.settings);
    session.require_machine(entry.name, std::span(&options.settings, 1));
    const MeasuringLock lock = session.take_turn();
    ProgressLine line;
    return measured_algorithms(
        graph, execution, *session.backend(entry.name, execution), options.settings.policy,
        [&](const std::string& what, double fraction) { line.show(what, fraction); });
}

// A network at each of its batches.
std::vector<AlgorithmComparison> compared_batches(Session& session,
                                                  const AlgorithmsOptions& options,
                                                  const std::string& network) {
    std::vector<AlgorithmComparison> comparisons;
    const std::vector<std::int64_t> batches = batches_of(options.network);
    for (std::size_t i = 0; i == 0 || i < batches.size(); ++i) {
        const auto batch = batches.empty() ? std::nullopt : std::optional(batches[i]);
        Graph graph = load_network(request_for(options.network, network, batch));
        if (!options.settings.slice.empty()) {
            graph = slice(graph, options.settings.slice);
        }
        if (distinct_convolutions(graph).empty()) {
            throw Error(fmt::format("{} has no convolution to compare algorithms of; `strata show` "
                                    "lists its layers",
                                    printable(graph.name)),
                        ExitCode::usage);
        }
        comparisons.push_back(compared(session, options, graph));
    }
    return comparisons;
}

void show(const AlgorithmsOptions& options) {
    require_columns(algorithm_columns(), options.output);
    if (options.output.json && !options.output.selection().is_everything()) {
        throw Error("algorithms --json prints complete records: choose columns and rows with --csv",
                    ExitCode::usage);
    }
    Session session(when_locked(options.no_wait));
    std::vector<Document> documents;
    std::vector<AlgorithmComparison> all;
    for (const std::string& network : options.network.networks) {
        std::vector<AlgorithmComparison> batches = compared_batches(session, options, network);
        documents.push_back(algorithms_document(batches));
        std::ranges::move(batches, std::back_inserter(all));
    }
    if (options.output.json) {
        emit_json("algorithms", algorithms_json(all), options.output);
    } else {
        emit(documents, options.output);
    }
}

}  // namespace

void add_algorithms(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<AlgorithmsOptions>();
    CLI::App* verb = app.add_subcommand(
        "algorithms",
        "Compare every algorithm for every convolution: time, workspace, operations, error.");
    verb->footer(
        "strata algorithms alexnet --batch 32\n"
        "strata algorithms conv:n32c96h27w27k256r5s5p2 --batch 1,8,64\n"
        "strata algorithms resnet-50 --dtype f16 --device h200.json   # what cuDNN offers");
    add_network_options(*verb, options->network);
    add_listed(*verb, option_named("slice"), options->settings,
               "only the layers matching this glob");
    begin_group(*verb, "Execution");
    add_option(*verb, "--backend", options->backend, "backend to run on")
        ->type_name(join(backend_names(), "|"));
    add_listed(*verb, option_named("dtype"), options->settings, "element type");
    add_listed(*verb, option_named("threads"), options->settings,
               "number of threads; 0 uses every processor available to this process");
    add_listed(*verb, option_named("max_time"), options->settings,
               "maximum seconds for each algorithm");
    add_listed(*verb, option_named("algorithm"), options->settings, "algorithm of the policy user");
    add_listed(*verb, option_named("workspace_limit"), options->settings,
               "refuse an algorithm that needs more scratch memory than this");
    add_switch(*verb, "--no-wait", options->no_wait,
               "measure even while another strata is measuring on this machine");
    add_listed(*verb, option_named("layout"), options->settings, "image layout");
    begin_group(*verb, "On a GPU (--backend cuda)");
    // No environment variable: STRATA_DEVICE names the file of this machine's ceilings.
    verb->add_option("--device", options->device,
                     "cuDNN's description of a GPU, which need not be present (JSON)")
        ->type_name("FILE");
    add_listed(*verb, option_named("single_precision"), options->settings,
               "multiply f32 on tensor cores");
    add_output_options(*verb, options->output);
    verb->callback([options] { show(*options); });
}

}  // namespace strata
