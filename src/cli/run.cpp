// SPDX-License-Identifier: MIT
#include "base/enumeration.h"
#include "base/output.h"
#include "base/text.h"
#include "base/unit_text.h"
#include "cli/backends.h"
#include "cli/measuring.h"
#include "cli/options.h"
#include "cli/results.h"
#include "cli/session.h"
#include "cli/tuning.h"
#include "cli/verbs.h"
#include "metric/plan.h"
#include "run/campaign.h"
#include "run/infeed.h"
#include "run/refusal.h"
#include "view/grid.h"
#include "view/rollup.h"
#include "view/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace strata {

namespace {

struct RunOptions {
    NetworkOptions network;
    OutputOptions output;
    std::vector<Settings> asked{1};  // several if an option has several values
    std::string backend{backends().front().name};
    std::string database;
    std::string layers;
    std::string passes;
    std::vector<std::string> by;
    bool shows_all = false;
    std::string convention{conventions().front().name};
    std::string memory;
    std::string dump;
    std::vector<std::string> inputs;
    TuningLimits tuning;
    bool names_algorithm = false;  // or a choice; no tuning is used then
    bool no_wait = false;
    bool verify = false;
    bool allow_incomplete = false;
    bool trace = false;
    std::vector<std::string> counters;
    std::string infeed;  // "true" as a switch, or the folder of images
    std::size_t infeed_threads = 1;
    std::string plan_place;  // PLAN:INDEX, from `strata compare`
};

// "3:12": the position of the run in another process's plan; empty: none.
std::optional<PlanPosition> plan_position_of(const std::string& text) {
    const auto parts = split(text, ':');
    const auto plan = parse_integer(parts.front());
    const auto index = parse_integer(parts.back());
    return parts.size() == 2 && plan && index ? std::optional(PlanPosition{*plan, *index})
                                              : std::nullopt;
}

// The request of --infeed: none, synthetic images, or those of a folder.
std::optional<InfeedRequest> infeed_of(const RunOptions& options, const BackendEntry& backend) {
    const std::string& said = options.infeed;
    if (said.empty() || said == "false" || said == "0" || said == "off" || said == "no") {
        return {};
    }
    require_feeding(backend);
    const bool is_bare = said == "true" || said == "1" || said == "on" || said == "yes";
    return InfeedRequest{.folder = is_bare ? "" : said,
                         .threads = static_cast<int>(options.infeed_threads)};
}

Job common_job(const RunOptions& options, const BackendEntry& backend) {
    Job job;
    job.backend = backend.name;
    job.request = request_for(options.network, {}, {});
    job.verification = options.verify ? Verification::done : Verification::omitted;
    job.remainder = options.allow_incomplete ? Remainder::measured : Remainder::refused;
    job.tracing = options.trace ? Tracing::done : Tracing::omitted;
    job.infeed = infeed_of(options, backend);
    job.counters = sets_named(metric_catalogue(), options.counters);
    if (options.trace || !job.counters.empty()) {
        require_profiler(backend, options.trace ? "--trace" : "--counters");
    }
    for (const auto& text : options.inputs) {
        job.inputs.insert(name_and_value(text, "--input"));
    }
    if (!options.dump.empty()) {
        job.dump = Dump{options.dump, options.layers};
    }
    if (!options.memory.empty()) {
        job.memory = memory_named(options.memory, "--memory");
    }
    return job;
}

// The command's experiment; the backend must support all of its settings.
Experiment experiment_for(const RunOptions& options, const BackendEntry& backend) {
    const ExperimentRequest request{.common = common_job(options, backend),
                                    .networks = options.network.networks,
                                    .batches = batches_of(options.network),
                                    .settings = options.asked,
                                    .variations = variations_of(options.network)};
    for (const Settings& settings : request.settings) {
        require_ability(backend, settings);
    }
    return experiment_of(request);
}

// Rejects a filter that selects no step of the network.
void require_steps(const Job& job, const StepFilter& filter) {
    const Graph& graph = job.plan->graph;
    const auto is_wanted = [&](const Layer& layer) {
        return filter.layers.empty() || is_called(layer, filter.layers);
    };
    if (std::ranges::none_of(graph.layers, is_wanted)) {
        throw Error(fmt::format("{} has no layer that matches --layer '{}': see its layers with "
                                "strata show",
                                printable(graph.name), printable(filter.layers)),
                    ExitCode::usage);
    }
    const auto passes = passes_in(filter.passes);
    if (std::ranges::none_of(job.plan->schedule.tasks, [&](const Task& task) {
            return is_wanted(graph.layers[task.layer]) &&
                   std::ranges::find(passes, task.pass) != passes.end();
        })) {
        throw Error(fmt::format("--pass {} selects no step of {}: {} has no such pass",
                                printable(filter.passes), printable(graph.name),
                                filter.layers.empty() ? name_of(job.execution.numerics.mode)
                                                      : "what --layer names"),
                    ExitCode::usage);
    }
}

// One network of each group suffices: all have the same layers.
void require_choices(const RunOptions& options, const Experiment& experiment) {
    std::vector<AlgorithmChoice> choices;
    for (const Settings& settings : options.asked) {
        std::ranges::copy(settings.execution.engine.choices, std::back_inserter(choices));
    }
    std::vector<Job> networks;
    std::ranges::transform(experiment.groups, std::back_inserter(networks),
                           [](const Group& group) { return group.front(); });
    require_choices(std::move(choices), networks);
}

std::vector<Column> columns_of(const RunOptions& options, const Experiment& experiment) {
    std::vector<std::string> varied;
    std::ranges::transform(experiment.variations, std::back_inserter(varied), &Variation::name);
    if (varied.size() > 1) {
        return grid_columns(varied);
    }
    if (varied.size() == 1) {
        return point_columns(varied.front(), text_of(options.asked.front(), "mode"));
    }
    const auto by = parse_groupings(options.by);
    return by.empty() ? step_columns() : rollup_columns(by);
}

// Rejects networks that cannot be fed, before anything is measured.
void require_images(const Experiment& experiment) {
    for (const Group& group : experiment.groups) {
        if (!group.front().infeed) {
            return;
        }
        if (group.size() > 1) {
            throw Error(
                "--infeed needs one network at one batch: give a single --batch, without --vary",
                ExitCode::usage);
        }
        image_input(group.front().plan->graph);
    }
}

// Checks display flags first: a misspelt name must not cost a run.
void require_display(const RunOptions& options, const Experiment& experiment) {
    find_convention(options.convention);
    const StepFilter filter{options.layers, options.passes};
    passes_in(filter.passes);
    require_choices(options, experiment);
    require_images(experiment);
    require_columns(columns_of(options, experiment), options.output);
    for (const Group& group : experiment.groups) {
        if (!filter.layers.empty() || !filter.passes.empty()) {
            require_steps(group.front(), filter);
        }
    }
}

// The folder of a framework's process would remain if nobody ended the process.
bool is_a_process_of_its_own(const Job& job) {
    return capabilities_of(job.backend).has(Capability::peer_options);
}

// Shows the progress of one job on standard error while it is measured.
class JobProgress {
public:
    // Before the warm-up, an interrupt loses nothing of this job, but others lose if `others_wait`.
    JobProgress(const Job& job, bool is_shown, bool others_wait)
        : name_(printable(job.request.network)),
          max_time_(job.policy.max_time),
          line_(is_shown ? std::make_unique<ProgressLine>() : nullptr) {
        if (!others_wait && !is_a_process_of_its_own(job)) {
            at_once_.emplace();
        }
    }

    void show(const std::string& stage, double fraction) {
        times_.enter(stage);
        if (stage == "warming up" || stage == "measuring") {
            at_once_.reset();
        }
        if (line_) {
            line_->show(name_ + ": " + stage, fraction);
        }
    }

    void end() {
        InterruptGuard::is_noticed();
        if (!line_) {
            return;
        }
        line_.reset();
        if (const auto sentence = times_.sentence_beyond(max_time_)) {
            say("{}: {}", name_, *sentence);
        }
    }

private:
    std::string name_;
    Seconds max_time_;
    StageTimes times_;
    std::unique_ptr<ProgressLine> line_;  // null: another process shows the progress
    std::optional<NothingToLose> at_once_;
};

void report_interrupt_of(const std::optional<std::int64_t>& run) {
    say("interrupted; {}the same command continues it",
        run ? fmt::format("what was measured is stored as run {}, and ", *run) : std::string());
}

// The runs that were shown, for the closing message.
struct ShownRuns {
    std::size_t count = 0;
    std::optional<std::int64_t> last = {};  // in the group shown last
    bool is_device_lost = false;

    void add(const std::vector<Run>& runs) {
        count += runs.size();
        last = runs.empty() ? std::nullopt : std::optional(runs.back().id);
        is_device_lost = is_device_lost || std::ranges::any_of(runs, lost_its_device);
    }
};

ExitCode measure_and_print(const RunOptions& options, const Experiment& experiment,
                           Session& session, ResultPrinter& printer) {
    const InterruptGuard guard;
    std::optional<JobProgress> progress;
    ShownRuns shown;
    const ExitCode code = run_campaign(
        experiment, session.database(),
        {.backend = [&](const Job& job) { return session.backend_of(job); },
         .take_turn = [&] { return session.take_turn(); },
         .job_begins =
             [&](const Job& job) {
                 progress.emplace(job, options.plan_place.empty(), shown.count > 0);
             },
         .job_ends = [&] { progress->end(); },
         .observer = {.progress = [&](const std::string& stage,
                                      double fraction) { progress->show(stage, fraction); },
                      .say = [](const std::string& sentence) { say("{}", sentence); },
                      .stop = &InterruptGuard::requested()},
         .show =
             [&](const std::vector<Run>& runs, const std::optional<Capacity>& capacity) {
                 shown.add(runs);
                 printer.add(runs, capacity);
             },
         .compare = [&](const std::vector<Run>& runs) { printer.add_pairs(runs); },
         .position = plan_position_of(options.plan_place)});
    if (code == ExitCode::interrupted) {
        report_interrupt_of(shown.last);
    }
    if (shown.is_device_lost) {
        const std::size_t all = count_jobs(experiment);
        say("{}", sentence_on_rest(all - shown.count, all));
    }
    return code;
}

ExitCode run_all(const RunOptions& options) {
    const BackendEntry& backend = find_backend(options.backend);
    Experiment experiment = experiment_for(options, backend);
    require_display(options, experiment);
    Session session(when_locked(options.no_wait), options.database);
    session.require_machine(backend.name, experiment.settings);
    take_tunings(session, experiment, !options.names_algorithm, options.tuning);
    ResultPrinter printer({.output = options.output,
                           .convention = find_convention(options.convention),
                           .by = parse_groupings(options.by),
                           .filter = {options.layers, options.passes},
                           .shows_all = options.shows_all});
    try {
        const ExitCode code = measure_and_print(options, experiment, session, printer);
        printer.finish();
        return code;
    } catch (const Error&) {
        if (printer.has_results()) {
            printer.finish();  // what was measured before is not lost
        }
        throw;
    }
}

void add_measuring_options(CLI::App& verb, RunOptions& options) {
    begin_group(verb, "Measurement");
    add_listed(verb, OptionGroup::measurement, options.asked);
    add_switch(
        verb, "--no-wait", options.no_wait,
        "measure even while another strata is measuring on this machine; the run is flagged");
}

void add_execution_options(CLI::App& verb, RunOptions& options) {
    begin_group(verb, "Execution");
    add_option(verb, "--backend", options.backend, "backend to run on")
        ->type_name(join(backend_names(), "|"));
    add_listed(verb, OptionGroup::execution, options.asked);
    add_tune_time(verb, options.tuning);
    verb.add_option("--input", options.inputs, "file with the values of an input")
        ->type_name("NAME=FILE.npy");
    // No environment variable: STRATA_MEMORY is the switch of show.
    verb.add_option("--memory", options.memory,
                    "memory that a run may use, such as 8GB; by default all that is free")
        ->type_name("SIZE");
    add_switch(verb, "--allow-incomplete", options.allow_incomplete,
               "measure a network even if most of its layers cannot run here");
    add_switch(verb, "--verify", options.verify, "first compare every step with the reference");
}

void add_infeed_options(CLI::App& verb, RunOptions& options) {
    begin_group(verb, "Input (on this machine's processors)");
    verb.add_flag(
            "--infeed", options.infeed,
            "after measuring, feed every step with a batch of images that is decoded and augmented "
            "beside it: synthetic ones, or with --infeed=FOLDER the folder's .jpg files")
        ->envname(environment_name("--infeed"));
    add_option(verb, "--infeed-threads", options.infeed_threads,
               "threads that make the images, in addition to those of the network")
        ->check(CLI::Range(1, 1024))
        ->type_name("N");
}

void add_gpu_options(CLI::App& verb, RunOptions& options) {
    begin_group(verb, "On a GPU (--backend cuda), or another backend with the choice");
    add_listed(verb, OptionGroup::gpu, options.asked);
    add_switch(verb, "--trace", options.trace,
               "after measuring, record kernels and attribute them to layers");
    add_option(verb, "--counters", options.counters,
               "after measuring, read hardware counters by layer: default, all, or sets from "
               "`strata list metrics`")
        ->delimiter(',')
        ->type_name("SET");
}

void add_selection_options(CLI::App& verb, RunOptions& options) {
    begin_group(verb, "Selection");
    add_listed(verb, OptionGroup::selection, options.asked);
    add_option(verb, "--layer", options.layers, "show (and dump) only layers matching this glob")
        ->type_name("GLOB");
    add_option(verb, "--pass", options.passes, "show only these passes, separated by commas")
        ->type_name("forward|backward-data|backward-weights|update");
    add_by_option(verb, options.by);
    add_all_option(verb, options.shows_all);
    verb.add_option("--plan-place", options.plan_place)->group("");  // internal
    add_option(verb, "--convention", options.convention,
               "convention for counting operations (see `strata list conventions`)")
        ->type_name("NAME");
    verb.add_option(
            "--dump", options.dump,
            "write the output, and the layers that --layer selects, to this folder as .npy files")
        ->type_name("FOLDER");
    add_database_option(verb, options.database);
}

}  // namespace

void add_run(CLI::App& app, ExitCode& exit) {
    auto options = std::make_shared<RunOptions>();
    CLI::App* verb = app.add_subcommand(
        "run",
        "Measure networks layer by layer: forward, backward-data, backward-weights, update.");
    verb->footer(
        "strata run alexnet --batch 32 --precision 1%\n"
        "strata run resnet-50 --inference --batch 1..64\n"
        "strata run vgg-16 --batch 8 --algorithm direct,winograd\n"
        "strata run model.onnx --verify --layer 'conv*'");
    add_network_options(*verb, options->network);
    add_vary_option(*verb, options->network);
    add_execution_options(*verb, *options);
    add_infeed_options(*verb, *options);
    add_gpu_options(*verb, *options);
    add_measuring_options(*verb, *options);
    add_selection_options(*verb, *options);
    add_output_options(*verb, options->output);
    verb->callback([options, verb, &exit] {
        options->names_algorithm = verb->count("--algorithm") > 0 || verb->count("--choose") > 0;
        exit = run_all(*options);
    });
}

}  // namespace strata
