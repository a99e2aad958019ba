// SPDX-License-Identifier: MIT
#include "backend/algorithms.h"
#include "base/error.h"
#include "base/output.h"
#include "cli/backends.h"
#include "cli/options.h"
#include "cli/tuning.h"
#include "cli/verbs.h"
#include "run/stored_choices.h"
#include "view/tuning.h"

#include <fmt/format.h>

#include <memory>

namespace strata {

namespace {

struct TuneOptions {
    NetworkOptions network;
    OutputOptions output;
    std::vector<Settings> asked{1};
    std::string database;
    TuningLimits limits;
    bool again = false;
    bool no_wait = false;
};

Experiment experiment_for(const TuneOptions& options) {
    Job common;
    common.backend = backends().front().name;
    common.request = request_for(options.network, {}, {});
    return experiment_of({.common = common,
                          .networks = options.network.networks,
                          .batches = batches_of(options.network),
                          .settings = options.asked,
                          .variations = {}});
}

void forget(Session& session, const Job& job) {
    const StoredTunings tunings(session.database(),
                                tuning_scope(session.backend_of(job)->info(), job.execution));
    const Graph& graph = job.plan->graph;
    for (const Layer& layer : graph.layers) {
        if (has_algorithms(layer.op)) {
            tunings.forget(problem_text(graph, layer));
        }
    }
}

Document tuned(Session& session, const Job& job, const TuneOptions& options) {
    if (options.again) {
        forget(session, job);
    }
    return tuning_document(settings_of(job), tune_job(session, job, options.limits));
}

ExitCode tune_all(const TuneOptions& options) {
    const Experiment experiment = experiment_for(options);
    const BackendEntry& backend = backends().front();
    require_tunable(std::string(backend.name));
    require_columns(tuning_columns(), options.output);
    for (const Settings& settings : experiment.settings) {
        require_ability(backend, settings);
    }
    Session session(when_locked(options.no_wait), options.database);
    session.require_machine(backend.name, experiment.settings);
    const InterruptGuard guard;
    std::vector<Document> documents;
    for (const Group& group : experiment.groups) {
        for (const Job& job : group) {
            if (!InterruptGuard::requested()) {
                documents.push_back(tuned(session, job, options));
            }
        }
    }
    if (InterruptGuard::requested()) {
        report_interrupt();
        return ExitCode::interrupted;
    }
    emit(documents, options.output);
    return ExitCode::done;
}

}  // namespace

void add_tune(CLI::App& app, ExitCode& exit) {
    auto options = std::make_shared<TuneOptions>();
    CLI::App* verb = app.add_subcommand(
        "tune", "Find the fastest algorithm of every layer here; later runs use it.");
    verb->footer(
        "strata tune alexnet --batch 32\n"
        "strata tune resnet-50 --inference --batch 1,8 --tune-time 120\n"
        "strata tune vgg-16 --inference --fuse on");
    add_network_options(*verb, options->network);
    begin_group(*verb, "Execution");
    for (const char* name : {"dtype", "threads", "pinned", "mode", "first_layer_gradient",
                             "workspace_limit", "slice", "fuse"}) {
        add_listed(*verb, option_named(name), options->asked);
    }
    begin_group(*verb, "Tuning");
    add_tune_time(*verb, options->limits);
    add_switch(*verb, "--again", options->again, "forget earlier tunings of these layers");
    add_switch(*verb, "--no-wait", options->no_wait,
               "measure even while another strata is measuring on this machine");
    add_database_option(*verb, options->database);
    add_output_options(*verb, options->output);
    verb->callback([options, &exit] { exit = tune_all(*options); });
}

}  // namespace strata
