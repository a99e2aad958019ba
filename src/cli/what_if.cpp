// SPDX-License-Identifier: MIT
#include "view/what_if.h"
#include "base/enumeration.h"
#include "cli/backends.h"
#include "cli/options.h"
#include "cli/sides.h"
#include "cli/verbs.h"
#include "store/database.h"
#include "store/load.h"

#include <fmt/format.h>

#include <memory>

namespace strata {

namespace {

struct WhatIfOptions {
    std::string run = "last";
    std::string database;
    std::string fuse;
    std::string method{name_of(FusionMethod::traffic)};
    int rounds = 5;
    bool verify = false;
    bool no_wait = false;
    OutputOptions output;
};

// The run's job. Throws Error if its network is no longer the measured one.
Job unchanged_job_of(const Run& run) {
    Job job = job_of(run);
    if (content_of(job) != run.settings.content) {
        throw Error(fmt::format("the file of run {}'s network has changed since: measure it again",
                                run.id));
    }
    return planned(std::move(job));
}

Job fused(Job job) {
    job.execution.engine.fusion = Fusion::convolution;
    return job;
}

// An engine fuses all or nothing.
void require_same_scope(const Graph& graph, Mode mode, FusionScope scope) {
    if (chains_in(graph, mode, scope) != chains_in(graph, mode, FusionScope::all)) {
        throw Error(fmt::format("--verify runs with --fuse on, which fuses more of this network "
                                "than {}: use --fuse all",
                                name_of(scope)),
                    ExitCode::usage);
    }
}

// False if the user interrupted.
bool verify(FusionFindings& findings, const Job& job, const WhatIfOptions& options) {
    std::vector<Side> sides = {{.job = job}, {.job = fused(job)}};
    require_ability(find_backend(job.backend), settings_of(sides.back().job, 1, 1));
    SidesOptions how;
    how.rounds = options.rounds;
    how.no_wait = options.no_wait;
    const auto owned = measured(std::move(sides), how, database_path(options.database));
    if (!owned) {
        return false;
    }
    require_a_side(*owned);
    for (const std::string& refusal : owned->refusals) {
        findings.refusal = refusal.empty() ? findings.refusal : refusal;
    }
    if (findings.refusal.empty()) {
        findings.measured = compare(owned->runs.front(), owned->runs.back());
        findings.refusal = findings.measured->refusal;
    }
    return true;
}

ExitCode show_what_if(const WhatIfOptions& options) {
    const Run run = load_named_run(database_path(options.database), options.run);
    const Job job = unchanged_job_of(run);
    const Graph& graph = job.plan->graph;
    FusionFindings findings{.run = run,
                            .scope = *value_named<FusionScope>(options.fuse),
                            .method = *value_named<FusionMethod>(options.method)};
    findings.forecast = forecast_of_fusion(run, graph, findings.scope, findings.method);
    if (options.verify && run.origin != Origin::measured) {
        throw Error(fmt::format("run {} is {}, so measuring cannot verify it: omit --verify",
                                run.id, name_of(run.origin)),
                    ExitCode::usage);
    }
    if (options.verify) {
        require_same_scope(graph, job.execution.numerics.mode, findings.scope);
        if (!verify(findings, job, options)) {
            return ExitCode::interrupted;
        }
    }
    emit(what_if_document(findings), options.output);
    return findings.refusal.empty() ? ExitCode::done : ExitCode::machine_cannot;
}

}  // namespace

void add_what_if(CLI::App& app, ExitCode& exit) {
    auto options = std::make_shared<WhatIfOptions>();
    CLI::App* verb = app.add_subcommand(
        "what-if", "Predict what a change would gain, from a stored run; measure it if asked.");
    verb->footer(
        "strata what-if last --fuse conv+relu\n"
        "strata what-if 12 --fuse all --verify\n"
        "strata what-if 12 --fuse conv+relu --method removal   # Dong et al. 2018");
    verb->add_option("run", options->run, "id, last, last~1, a tag or FILE:ID")->type_name("RUN");
    add_option(*verb, "--fuse", options->fuse,
               "fuse everything that an engine fuses, or only ReLUs into convolutions and fully "
               "connected layers")
        ->required()
        ->check(CLI::IsMember(std::vector<std::string>{"all", "conv+relu"}));
    add_option(*verb, "--method", options->method,
               "predict by the traffic that is saved, or by removing the ReLUs")
        ->check(CLI::IsMember(std::vector<std::string>{"traffic", "removal"}));
    add_switch(*verb, "--verify", options->verify,
               "measure it without and with fusion, in turn, and compare with the prediction");
    add_option(*verb, "--rounds", options->rounds, "with --verify: processes for each side")
        ->check(whole_number(1))
        ->type_name("N");
    add_switch(*verb, "--no-wait", options->no_wait,
               "measure even while another strata is measuring on this machine");
    add_database_option(*verb, options->database);
    add_output_options(*verb, options->output);
    verb->callback([options, &exit] { exit = show_what_if(*options); });
}

}  // namespace strata
