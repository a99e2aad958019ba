// SPDX-License-Identifier: MIT
#include "backend/algorithms.h"
#include "base/error.h"
#include "base/output.h"
#include "cli/backends.h"
#include "cli/measuring.h"
#include "cli/options.h"
#include "cli/tuning.h"
#include "cli/verbs.h"
#include "run/execute.h"
#include "run/stored_choices.h"
#include "store/database.h"
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

void forget(const Job& job, const std::string& path) {
    const Database database = Database::open(path);
    const auto backend = make_backend(find_backend(job.backend), job.execution);
    const StoredTunings tunings(database, tuning_scope(backend->info(), job.execution));
    const Graph graph = graph_for(job);
    for (const Layer& layer : graph.layers) {
        if (has_algorithms(layer.op)) {
            tunings.forget(problem_text(graph, layer));
        }
    }
}

Document tuned(const Job& job, const TuneOptions& options, const std::string& path) {
    if (options.again) {
        forget(job, path);
    }
    const TuningOutcome outcome = tune_job(
        job, options.limits, path, options.no_wait ? WhenLocked::measure_anyway : WhenLocked::wait);
    return tuning_document(settings_of(job, batch_of(graph_for(job)), thread_count(job.execution)),
                           outcome);
}

ExitCode tune_all(const TuneOptions& options) {
    const Experiment experiment = experiment_for(options);
    const BackendEntry& backend = backends().front();
    require_tunable(std::string(backend.name));
    require_columns(tuning_columns(), options.output);
    for (const Settings& settings : experiment.settings) {
        require_ability(backend, settings);
    }
    require_machine(backend, experiment.settings);
    const std::string path = database_path(options.database).string();
    const InterruptGuard guard;
    std::vector<Document> documents;
    for (const Group& group : experiment.groups) {
        for (const Job& job : group) {
            if (!InterruptGuard::requested()) {
                documents.push_back(tuned(job, options, path));
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
