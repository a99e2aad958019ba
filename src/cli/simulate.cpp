// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "cli/options.h"
#include "cli/simulating.h"
#include "cli/verbs.h"
#include "view/simulation.h"

#include <fmt/format.h>

#include <fstream>
#include <memory>

namespace strata {

namespace {

constexpr const char* as_predicted = "predicted";

struct SimulateOptions {
    NetworkOptions network;  // its variables set numbers of the device
    Settings settings;
    std::string device;
    std::string engine{name_of(CacheEngine::distances)};
    std::string convolution{as_predicted};
    bool bypass_l1 = false;
    bool no_bypass_l1 = false;
    bool check = false;
    std::uint64_t accesses = SimulationOptions().most_accesses;
    std::string trace;
    std::string cache;
    OutputOptions output;
};

SimulationOptions simulation_of(const SimulateOptions& options) {
    SimulationOptions simulation{
        .engine = *value_named<CacheEngine>(options.engine),
        .checks_engine = options.check,
        .convolution = value_named<PlannedConvolution>(options.convolution),  // predicted: none
        .bypass_l1 = {},
        .most_accesses = options.accesses};
    if (options.bypass_l1 && options.no_bypass_l1) {
        throw Error("--bypass-l1 and --no-bypass-l1 exclude each other: omit one", ExitCode::usage);
    }
    if (options.bypass_l1 || options.no_bypass_l1) {
        simulation.bypass_l1 = options.bypass_l1;
    }
    return simulation;
}

Document simulated_network(const std::string& network, std::optional<std::int64_t> batch,
                           const SimulateOptions& options, const DeviceDescription& device) {
    const Execution& execution = options.settings.execution;
    NetworkOptions of_network = options.network;
    of_network.variables.clear();
    const Graph graph =
        load_network(request_for(of_network, network, batch), execution.numerics.mode);
    const SimulationOptions simulation = simulation_of(options);
    return simulation_document(simulate_network(graph, execution, device, simulation), simulation);
}

void simulate_networks(const SimulateOptions& options) {
    if (options.network.networks.empty() || options.device.empty()) {
        throw Error("name a network and --device, or give --trace and --cache", ExitCode::usage);
    }
    DeviceDescription device = find_description(options.device);
    if (device.kind != DeviceKind::gpu) {
        throw Error(fmt::format("{} is not a GPU: only the caches of GPUs can be simulated; see "
                                "`strata list devices`",
                                device.name),
                    ExitCode::usage);
    }
    for (const std::string& text : options.network.variables) {
        change(device, text);
    }
    const auto batches = batches_of(options.network);
    std::vector<Document> documents;
    for (const std::string& network : options.network.networks) {
        for (const std::int64_t batch : batches) {
            documents.push_back(simulated_network(network, batch, options, device));
        }
        if (batches.empty()) {
            documents.push_back(simulated_network(network, {}, options, device));
        }
    }
    emit(documents, options.output);
}

SimulatedTrace simulated_trace(const std::string& name, const TraceCache& cache,
                               CacheEngine engine) {
    std::ifstream file(name);
    if (!file) {
        throw Error(fmt::format("{} cannot be read", printable(name)));
    }
    TraceReader reader(file, printable(name));
    return simulate_trace(reader, cache, engine);
}

void simulate_trace_file(const SimulateOptions& options) {
    if (!options.network.networks.empty() || !options.device.empty()) {
        throw Error("--trace simulates a trace: omit the network and --device", ExitCode::usage);
    }
    if (options.cache.empty()) {
        throw Error("--trace needs --cache, for example size=32KiB,line=64,ways=8",
                    ExitCode::usage);
    }
    const TraceCache cache = parse_trace_cache(options.cache);
    const auto engine = *value_named<CacheEngine>(options.engine);
    const SimulatedTrace found = simulated_trace(options.trace, cache, engine);
    std::optional<SimulatedTrace> check;
    if (options.check) {
        check = simulated_trace(options.trace, cache, check_of(engine));
    }
    emit(trace_document(options.trace, cache, engine, found, check ? &*check : nullptr),
         options.output);
}

void add_caches(CLI::App& verb, SimulateOptions& options) {
    begin_group(verb, "Caches");
    add_option(verb, "--engine", options.engine,
               "distances: by stack distances; exact: access by access; sampled: exact in one set "
               "of 32, with its confidence")
        ->type_name(choices_of<CacheEngine>())
        ->check(CLI::IsMember(std::vector<std::string>{"distances", "exact", "sampled"}));
    add_switch(verb, "--check", options.check,
               "also run another engine (exact, or distances for exact), and show the difference");
    add_switch(verb, "--bypass-l1", options.bypass_l1,
               "loads bypass the first-level cache, the default on Kepler");
    add_switch(verb, "--no-bypass-l1", options.no_bypass_l1,
               "loads use the first-level cache, also on Kepler");
    add_option(verb, "--algorithm", options.convolution,
               "kernels of convolutions; predicted: the choice of `strata predict`, or an implicit "
               "product if that cannot be simulated")
        ->type_name(std::string(as_predicted) + "|" + choices_of<PlannedConvolution>())
        ->check(CLI::IsMember(std::vector<std::string>{as_predicted, "implicit-gemm", "winograd"}));
    add_option(verb, "--accesses", options.accesses,
               "accesses of a kernel to simulate before the rest is extrapolated")
        ->type_name("N");
    begin_group(verb, "A trace instead of a network");
    add_option(verb, "--trace", options.trace, "file of accesses, one per line: r 0x7f00 64")
        ->type_name("FILE");
    add_option(verb, "--cache", options.cache, "the cache: size=32KiB,line=64,ways=8")
        ->type_name("SHAPE");
}

}  // namespace

void add_simulate(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<SimulateOptions>();
    CLI::App* verb = app.add_subcommand(
        "simulate",
        "Simulate each layer's use of a GPU's caches and memory, and the stalls of its warps.");
    verb->footer(
        "strata simulate alexnet --device gtx-1080-ti --batch 32\n"
        "strata simulate conv:n32c96h27k256r5p2 --device k40 --no-bypass-l1 --check\n"
        "strata simulate --trace accesses.txt --cache size=32KiB,line=64,ways=8");
    add_network_options(*verb, options->network);
    verb->get_option("network")->required(false);
    add_option(*verb, "--device", options->device, "a GPU; see `strata list devices`")
        ->type_name("NAME");
    verb->get_option("--set")
        ->description("change a number of the device, such as l2=128MiB or processors=2x")
        ->type_name("KEY=VALUE");
    add_listed(*verb, option_named("mode"), options->settings);
    add_caches(*verb, *options);
    add_output_options(*verb, options->output);
    verb->callback([options] {
        options->trace.empty() ? simulate_networks(*options) : simulate_trace_file(*options);
    });
}

}  // namespace strata
