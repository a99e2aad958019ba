// SPDX-License-Identifier: MIT
#include "analyze/finding.h"
#include "analyze/release.h"
#include "analyze/shared_step.h"
#include "base/enumeration.h"
#include "base/text.h"
#include "cli/backends.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/simulating.h"
#include "cli/verbs.h"
#include "import/paradnn.h"
#include "published/figure.h"
#include "published/files.h"
#include "published/modelled_figure.h"
#include "run/algorithms.h"
#include "view/figure.h"
#include "view/modelled_figure.h"
#include "view/reproduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace strata {

namespace {

struct ReproduceOptions {
    std::vector<std::string> names;
    bool list = false;
    bool all = false;
    std::vector<std::string> released;  // files that authors released
    OutputOptions output;
    // Options for figures, which are measured.
    NetworkOptions network;  // only its batches are used
    std::string backend{backends().front().name};
    Settings settings{
        .policy = {.min_time = Seconds{0.05}, .max_time = Seconds{1}, .precision = 0.02}};
    bool no_wait = false;
};

std::vector<MeasuredFigure> chosen_figures(const ReproduceOptions& options) {
    std::vector<MeasuredFigure> figures;
    for (const std::string& name : options.names) {
        if (auto figure = find_figure(name)) {
            figures.push_back(std::move(*figure));
        }
    }
    if (!figures.empty() && (options.all || figures.size() < options.names.size())) {
        throw Error(fmt::format("{} is measured, not counted: reproduce it with a separate command",
                                figures.front().name),
                    ExitCode::usage);
    }
    return figures;
}

std::vector<ModelledFigure> chosen_simulations(const ReproduceOptions& options) {
    std::vector<ModelledFigure> figures;
    for (const std::string& name : options.names) {
        if (auto figure = find_modelled_figure(name)) {
            figures.push_back(std::move(*figure));
        }
    }
    if (!figures.empty() && (options.all || figures.size() < options.names.size())) {
        throw Error(
            fmt::format("{} is simulated, not counted: reproduce it with a separate command",
                        figures.front().name),
            ExitCode::usage);
    }
    return figures;
}

// The results that authors released, by kind.
Release read_released(const ReproduceOptions& options) {
    Release released;
    for (const std::string& file : options.released) {
        ByteSource table_source(file);
        ReleasedTable table = read_released_table(table_source);
        const bool has_networks = kind_of(table).ends_with(" results");
        released.tables[kind_of(table)] = std::move(table);
        if (!has_networks) {
            continue;
        }
        ByteSource source(file);
        const ParadnnResults results = read_paradnn(source);
        Observations& all = released.networks[std::string(name_of(results.platform))];
        for (const ParadnnEntry& entry : results.entries) {
            all.runs.push_back(observation_of(entry));
        }
    }
    return released;
}

bool has_files(const Release& released, const Reproduction& reproduction) {
    return std::ranges::all_of(reproduction.numbers, [&](const PublishedNumber& number) {
        const auto& asked = number.release;
        return !asked || (!asked->column.empty() ? released.tables.contains(asked->data)
                                                 : released.networks.contains(asked->data) &&
                                                       (asked->over.empty() ||
                                                        released.networks.contains(asked->over)));
    });
}

// All reproductions; those computed from released files only if these were given.
std::vector<Reproduction> chosen(const ReproduceOptions& options, const Release& released) {
    if (options.all) {
        std::vector<Reproduction> all = reproductions();
        std::erase_if(all, [&](const Reproduction& one) { return !has_files(released, one); });
        return all;
    }
    if (options.names.empty()) {
        throw Error("nothing to reproduce: give a name from --list, or --all", ExitCode::usage);
    }
    std::vector<Reproduction> found;
    for (const std::string& name : options.names) {
        found.push_back(find_reproduction(name));
    }
    return found;
}

// The exit code says whether any difference is unexplained.
ExitCode compare(const ReproduceOptions& options) {
    const Release released = read_released(options);
    const auto computed = [&](const FromRelease& asked) { return quantity_of(asked, released); };
    std::vector<Reproduced> reproduced;
    for (const Reproduction& reproduction : chosen(options, released)) {
        reproduced.push_back(reproduce(reproduction, computed, modelled_speedup));
    }
    emit(reproduced_document(reproduced), options.output);
    return std::ranges::all_of(reproduced, agrees) ? ExitCode::done : ExitCode::failed;
}

// The figure's batches, or the requested ones of these.
std::vector<std::int64_t> batches_of(const MeasuredFigure& figure,
                                     const ReproduceOptions& options) {
    std::set<std::int64_t> of_figure;
    for (const FigurePanel& panel : figure.panels) {
        of_figure.insert(panel.batch);
    }
    const std::vector<std::int64_t> asked = batches_of(options.network);
    for (const std::int64_t batch : asked) {
        if (!of_figure.contains(batch)) {
            throw Error(fmt::format("{} has no batch {}: choose from {}", figure.name, batch,
                                    fmt::join(of_figure, ", ")),
                        ExitCode::usage);
        }
    }
    return asked.empty() ? std::vector(of_figure.begin(), of_figure.end()) : asked;
}

// Throws Error if a panel names none of its convolutions.
Graph network_of(const MeasuredFigure& figure, std::int64_t batch,
                 const ReproduceOptions& options) {
    Graph graph = load_network(request_for(options.network, figure.network, batch));
    const auto convolutions = distinct_convolutions(graph);
    for (const FigurePanel& panel : figure.panels) {
        if (std::ranges::none_of(convolutions, [&](const DistinctLayer& one) {
                return matches_glob(panel.layers, graph.layers[one.layer].name);
            })) {
            throw Error(fmt::format("{}, panel \"{}\": no convolution of {} is called {}; "
                                    "`strata show` lists its layers",
                                    figure.name, printable(panel.name), printable(graph.name),
                                    printable(panel.layers)),
                        ExitCode::usage);
        }
    }
    return graph;
}

std::vector<AlgorithmComparison> measured_batches(const MeasuredFigure& figure,
                                                  const ReproduceOptions& options) {
    const std::vector<std::int64_t> wanted = batches_of(figure, options);
    const BackendEntry& entry = find_backend(options.backend);
    require_ability(entry, options.settings);
    Session session(when_locked(options.no_wait));
    session.require_machine(entry.name, std::span(&options.settings, 1));
    const MeasuringLock lock = session.take_turn();
    std::vector<AlgorithmComparison> batches;
    for (const std::int64_t batch : wanted) {
        ProgressLine line;
        batches.push_back(measured_algorithms(
            network_of(figure, batch, options), options.settings.execution,
            *session.backend(entry.name, options.settings.execution), options.settings.policy,
            [&](const std::string& layer, double fraction) {
                line.show(fmt::format("batch {}, {}", batch, layer), fraction);
            }));
    }
    return batches;
}

// Simulates each device that the findings name, and again bypassing L1 if that is compared.
std::vector<ComparedFinding> compared_findings(const ModelledFigure& figure) {
    std::map<std::pair<std::string, std::optional<bool>>, SimulatedNetwork> simulated;
    const auto simulation = [&](const std::string& device,
                                std::optional<bool> bypass) -> const SimulatedNetwork& {
        const std::pair key(device, bypass);
        auto known = simulated.find(key);
        if (known == simulated.end()) {
            const Graph graph =
                load_network(request_for({}, figure.network, figure.findings_batch));
            known = simulated
                        .emplace(key, simulate_network(graph, {}, find_description(device),
                                                       {.bypass_l1 = bypass}))
                        .first;
        }
        return known->second;
    };
    std::vector<ComparedFinding> findings;
    for (const PublishedFinding& finding : figure.findings) {
        findings.push_back(compare_finding(finding, simulation));
    }
    return findings;
}

// The simulation gives the same results on every machine.
void simulate_figures(const std::vector<ModelledFigure>& figures, const OutputOptions& output) {
    std::vector<Document> documents;
    for (const ModelledFigure& figure : figures) {
        std::set<std::int64_t> batches;
        for (const MeasurePanel& panel : figure.panels) {
            batches.insert(panel.batch);
        }
        std::vector<SimulatedNetwork> simulated;
        for (const std::int64_t batch : batches) {
            simulated.push_back(
                simulate_network(load_network(request_for({}, figure.network, batch)), {},
                                 find_description(figure.device), {}));
        }
        documents.push_back(modelled_figure_document(
            figure, compare_modelled_figure(figure, simulated), compared_findings(figure)));
    }
    emit(documents, output);
}

// Another machine may well have another order: that is a finding, not a failure.
void measure(const std::vector<MeasuredFigure>& figures, const ReproduceOptions& options) {
    require_columns(figure_columns(), options.output);
    std::vector<Document> documents;
    for (const MeasuredFigure& figure : figures) {
        const std::vector<AlgorithmComparison> batches = measured_batches(figure, options);
        documents.push_back(figure_document(figure, compare_figure(figure, batches), batches));
    }
    emit(documents, options.output);
}

void add_measuring_options(CLI::App& verb, ReproduceOptions& options) {
    begin_group(verb, "Measuring a figure");
    add_option(verb, "-b,--batch", options.network.batches, "only these of the figure's batches")
        ->delimiter(',')
        ->type_name("N");
    add_option(verb, "--backend", options.backend, "backend to run on")
        ->type_name(join(backend_names(), "|"));
    add_listed(verb, option_named("threads"), options.settings,
               "number of threads; 0 uses every processor available to this process");
    add_listed(verb, option_named("max_time"), options.settings,
               "maximum seconds for each algorithm of a layer");
    add_switch(verb, "--no-wait", options.no_wait,
               "measure even while another strata is measuring on this machine");
}

}  // namespace

void add_reproduce(CLI::App& app, ExitCode& exit) {
    auto options = std::make_shared<ReproduceOptions>();
    CLI::App* verb = app.add_subcommand(
        "reproduce",
        "Compare published numbers with strata's own: counts by value, figures of times by order.");
    verb->footer(
        "strata reproduce dong2018-table1\n"
        "strata reproduce paradnn-regression --from tpu_fc.json,gpu_fc.json\n"
        "strata reproduce paradnn-roofline --from fc_trace_10sec.json,"
        "fc_trace_10sec_opbreakdown.json\n"
        "strata reproduce kim2017-fig8 --batch 32   # measures for minutes");
    verb->add_option("name", options->names, "names from --list, or .toml files")
        ->type_name("NAME");
    add_switch(*verb, "--list", options->list, "list what can be reproduced");
    add_switch(*verb, "--all", options->all,
               "reproduce everything that is counted or computed from --from");
    add_option(*verb, "--from", options->released,
               "files that authors released, for the numbers computed from them: ParaDnn's "
               "tpu_fc.json, gpu_fc.json, fc_trace_10sec.json and fc_trace_10sec_opbreakdown.json")
        ->delimiter(',')
        ->type_name("FILE");
    add_measuring_options(*verb, *options);
    add_output_options(*verb, options->output);
    verb->callback([options, &exit] {
        if (options->list) {
            emit(reproductions_document(reproductions(), measured_figures(), modelled_figures()),
                 options->output);
        } else if (const auto simulations = chosen_simulations(*options); !simulations.empty()) {
            simulate_figures(simulations, options->output);
        } else if (const auto figures = chosen_figures(*options); !figures.empty()) {
            measure(figures, *options);
        } else {
            exit = compare(*options);
        }
    });
}

}  // namespace strata
