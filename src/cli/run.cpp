// SPDX-License-Identifier: MIT
#include "base/byte_size.h"
#include "base/enumeration.h"
#include "base/text.h"
#include "cli/backends.h"
#include "cli/measuring.h"
#include "cli/options.h"
#include "cli/results.h"
#include "cli/verbs.h"
#include "graph/schedule.h"
#include "metric/plan.h"
#include "run/campaign.h"
#include "store/database.h"
#include "view/grid.h"
#include "view/rollup.h"
#include "view/steps.h"

#include <fmt/format.h>

#include <memory>

namespace strata {

namespace {

struct RunOptions {
    NetworkOptions network;
    OutputOptions output;
    Policy policy;
    std::string backend{backends().front().name};
    std::vector<std::string> dtypes = {"f32"};
    std::vector<std::string> algorithms = {"direct"};
    std::vector<std::string> layouts = {"auto"};
    std::vector<std::string> fusions = {"off"};
    std::vector<std::string> l1 = {"use"};
    std::string cache = "as-left";
    std::string optimizer{optimizer_names().front()};
    std::string precision = "1%";
    std::string database;
    std::string slice;
    std::string layers;
    std::string passes;
    std::vector<std::string> by;
    std::string convention{conventions().front().name};
    std::string memory;
    std::string dump;
    std::vector<std::string> inputs;
    double min_time = Policy{}.min_time.value;
    double max_time = Policy{}.max_time.value;
    std::vector<int> threads = {0};
    std::uint64_t seed = 1;
    bool unpinned = false;
    bool no_wait = false;
    bool inference = false;
    bool first_layer_gradient = false;
    bool verify = false;
    bool allow_incomplete = false;
    bool tf32 = false;
    bool trace = false;
    std::vector<std::string> counters;
};

constexpr double shortest_time = 0.001;

// "1%" or "0.01".
double parse_precision(std::string text) {
    const bool percent = !text.empty() && text.back() == '%';
    if (percent) {
        text.pop_back();
    }
    const auto value = parse_number(text);
    const double share = value ? *value / (percent ? 100 : 1) : 0;
    if (!(share > 0) || share > 1) {
        throw Error(
            fmt::format("--precision needs a fraction up to 1, such as 1% or 0.01, not '{}{}'",
                        printable(text), percent ? "%" : ""),
            ExitCode::usage);
    }
    return share;
}

Execution execution_of(const RunOptions& options) {
    Execution execution;
    execution.numerics.mode = options.inference ? Mode::inference : Mode::training;
    execution.scheduling.pinned = !options.unpinned;
    execution.numerics.single_precision =
        options.tf32 ? SinglePrecision::tf32 : SinglePrecision::full;
    execution.numerics.optimizer = find_optimizer(options.optimizer);
    execution.numerics.seed = options.seed;
    if (options.first_layer_gradient) {
        execution.numerics.first_layer_gradient = FirstLayerGradient::computed;
    }
    return execution;
}

Job common_job(const RunOptions& options) {
    Job job;
    job.backend = find_backend(options.backend).name;
    job.request = request_for(options.network, {}, {});
    job.slice = options.slice;
    job.execution = execution_of(options);
    job.policy = options.policy;
    job.policy.min_time = Seconds{options.min_time};
    job.policy.max_time = Seconds{options.max_time};
    job.policy.caches = parse_choice<CacheState>(options.cache, "--cache");
    job.policy.precision = parse_precision(options.precision);
    job.verification = options.verify ? Verification::done : Verification::omitted;
    job.remainder = options.allow_incomplete ? Remainder::measured : Remainder::refused;
    job.tracing = options.trace ? Tracing::done : Tracing::omitted;
    job.counters = sets_named(metric_catalogue(), options.counters);
    if (options.trace || !job.counters.empty()) {
        require_profiler(find_backend(options.backend), options.trace ? "--trace" : "--counters");
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

// Several values of what a command may vary beside numbers.
Choices choices_in(const RunOptions& options) {
    Choices choices = {
        .algorithms = parse_choices<ConvolutionAlgorithm>(options.algorithms, "--algorithm"),
        .layouts = parse_choices<ImageLayout>(options.layouts, "--layout"),
        .fusions = parse_choices<Fusion>(options.fusions, "--fuse"),
        .l1 = parse_choices<L1Caching>(options.l1, "--l1"),
        .threads = options.threads};
    std::ranges::transform(options.dtypes, std::back_inserter(choices.dtypes), parse_data_type);
    return choices;
}

// What the command asks for; the backend must support each execution of it.
Experiment experiment_for(const RunOptions& options) {
    const ExperimentRequest request{.common = common_job(options),
                                    .networks = options.network.networks,
                                    .batches = batches_of(options.network),
                                    .choices = choices_in(options),
                                    .variations = variations_of(options.network)};
    for (const Execution& execution : executions_of(request.common.execution, request.choices)) {
        require_ability(find_backend(options.backend), execution, request.common.policy.caches);
    }
    return experiment_of(request);
}

// Rejects a filter that selects no step of the network.
void require_steps(const Job& job, const StepFilter& filter) {
    const Graph graph = graph_for(job);
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
    const auto tasks = schedule_of(graph, job.execution).tasks;
    if (std::ranges::none_of(tasks, [&](const auto& task) {
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

std::vector<Column> columns_of(const RunOptions& options, const Experiment& experiment) {
    std::vector<std::string> varied;
    std::ranges::transform(experiment.variations, std::back_inserter(varied), &Variation::name);
    if (varied.size() > 1) {
        return grid_columns(varied);
    }
    if (varied.size() == 1) {
        return point_columns(varied.front(), options.inference ? "inference" : "training");
    }
    const auto by = parse_groupings(options.by);
    return by.empty() ? step_columns() : rollup_columns(by);
}

// A misspelt name in a flag that only selects what is shown must not cost a run.
void require_display(const RunOptions& options, const Experiment& experiment) {
    find_convention(options.convention);
    const StepFilter filter{options.layers, options.passes};
    passes_in(filter.passes);
    require_columns(columns_of(options, experiment), options.output);
    for (const Group& group : experiment.groups) {
        if (!filter.layers.empty() || !filter.passes.empty()) {
            require_steps(group.front(), filter);
        }
    }
}

// Where one job stands, on standard error, while it is measured.
class JobProgress {
public:
    explicit JobProgress(const Job& job)
        : name_(printable(job.request.network)), max_time_(job.policy.max_time) {}

    void show(const std::string& stage, double fraction) {
        times_.enter(stage);
        line_->show(name_ + ": " + stage, fraction);
    }

    void end() {
        line_.reset();
        if (const auto sentence = times_.sentence_beyond(max_time_)) {
            fmt::print(stderr, "strata: {}: {}\n", name_, *sentence);
        }
    }

private:
    std::string name_;
    Seconds max_time_;
    StageTimes times_;
    std::unique_ptr<ProgressLine> line_ = std::make_unique<ProgressLine>();
};

void report_interrupt(const std::optional<std::int64_t>& run) {
    fmt::print(
        stderr, "strata: interrupted; {}the same command continues it\n",
        run ? fmt::format("what was measured is stored as run {}, and ", *run) : std::string());
}

ExitCode measure_and_print(const RunOptions& options, const Experiment& experiment,
                           ResultPrinter& printer) {
    Database database = Database::open(database_path(options.database));
    const InterruptGuard guard;
    std::optional<JobProgress> progress;
    std::optional<std::int64_t> last_run;  // of the group that was shown last
    const ExitCode code = run_campaign(
        experiment, database,
        {.make_backend =
             [](const Job& job) { return make_backend(find_backend(job.backend), job.execution); },
         .take_turn =
             [&] {
                 return acquire_measuring_lock(options.no_wait ? WhenLocked::measure_anyway
                                                               : WhenLocked::wait);
             },
         .job_begins = [&](const Job& job) { progress.emplace(job); },
         .job_ends = [&] { progress->end(); },
         .observer = {.progress = [&](const std::string& stage,
                                      double fraction) { progress->show(stage, fraction); },
                      .say =
                          [](const std::string& sentence) {
                              fmt::print(stderr, "strata: {}\n", sentence);
                          },
                      .stop = &InterruptGuard::requested()},
         .show =
             [&](const std::vector<Run>& runs, const std::optional<Capacity>& capacity) {
                 last_run = runs.empty() ? std::nullopt : std::optional(runs.back().id);
                 printer.add(runs, capacity);
             },
         .compare = [&](const std::vector<Run>& runs) { printer.add_pairs(runs); }});
    if (code == ExitCode::interrupted) {
        report_interrupt(last_run);
    }
    return code;
}

ExitCode run_all(const RunOptions& options) {
    const Experiment experiment = experiment_for(options);
    require_display(options, experiment);
    require_machine(find_backend(options.backend), experiment.executions);
    ResultPrinter printer({.output = options.output,
                           .convention = find_convention(options.convention),
                           .by = parse_groupings(options.by),
                           .filter = {options.layers, options.passes}});
    try {
        const ExitCode code = measure_and_print(options, experiment, printer);
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
    add_option(verb, "--warmup", options.policy.warmup,
               "iterations before the first sample, for at most a quarter of --max-time")
        ->check(whole_number(0))
        ->type_name("N");
    add_option(verb, "--min-time", options.min_time, "minimum sampling time in seconds")
        ->check(seconds_from(0))
        ->type_name("SECONDS");
    add_option(verb, "--max-time", options.max_time,
               "maximum seconds to warm up and sample each run; preparation, --verify, --trace and "
               "--counters take additional time")
        ->check(seconds_from(shortest_time))
        ->type_name("SECONDS");
    add_option(verb, "--min-samples", options.policy.min_samples,
               "minimum number of samples of each step")
        ->check(whole_number(1))
        ->type_name("N");
    add_option(verb, "--precision", options.precision,
               "target half-width of the median's 95 % confidence interval")
        ->type_name("SHARE");
    add_switch(
        verb, "--no-wait", options.no_wait,
        "measure even while another strata is measuring on this machine; the run is flagged");
}

void add_execution_options(CLI::App& verb, RunOptions& options) {
    begin_group(verb, "Execution");
    add_option(verb, "--backend", options.backend, "backend to run on")
        ->type_name(join(backend_names(), "|"));
    add_option(verb, "--dtype", options.dtypes,
               "element type (f16 on a GPU only); several are measured and compared")
        ->delimiter(',')
        ->type_name("f32|bf16|f16");
    add_option(verb, "--threads", options.threads,
               "number of threads; 0 uses every processor available to this process; several are "
               "measured and compared")
        ->delimiter(',')
        ->check(thread_number())
        ->type_name("N");
    add_switch(verb, "--unpinned", options.unpinned, "do not pin threads to processors");
    add_option(verb, "--algorithm", options.algorithms,
               "convolution algorithm; auto leaves the choice to the library, fastest tries what a "
               "GPU offers and keeps the best; several are measured and compared")
        ->delimiter(',')
        ->type_name(choices_of<ConvolutionAlgorithm>());
    add_option(
        verb, "--cache", options.cache,
        "state of the caches before each timed step; as-left keeps what the previous step left")
        ->type_name(choices_of<CacheState>());
    add_option(verb, "--optimizer", options.optimizer,
               "optimizer of the update; sgd has no momentum")
        ->type_name(optimizer_choices());
    add_switch(verb, "--inference", options.inference, "forward only, without the loss");
    add_switch(verb, "--first-layer-gradient", options.first_layer_gradient,
               "also compute the gradient of the network's input");
    add_option(verb, "--seed", options.seed, "seed of the random inputs and parameters")
        ->check(whole_number(0))
        ->type_name("N");
    verb.add_option("--input", options.inputs, "file with the values of an input")
        ->type_name("NAME=FILE.npy");
    // (Without a variable: STRATA_MEMORY is the switch of show.)
    verb.add_option("--memory", options.memory,
                    "memory a run may use, such as 8GB; by default all that is free")
        ->type_name("SIZE");
    add_switch(verb, "--allow-incomplete", options.allow_incomplete,
               "measure a network even if most of its layers cannot run here");
    add_switch(verb, "--verify", options.verify, "first compare every step with the reference");
}

void add_gpu_options(CLI::App& verb, RunOptions& options) {
    begin_group(verb, "On a GPU (--backend cuda)");
    add_option(verb, "--layout", options.layouts,
               "image layout; auto is the one in which the convolutions run fastest")
        ->delimiter(',')
        ->type_name(choices_of<ImageLayout>());
    add_switch(verb, "--tf32", options.tf32,
               "multiply f32 on tensor cores, with 11 bits of precision instead of 24");
    add_option(
        verb, "--fuse", options.fusions,
        "fuse each convolution with the layers that follow it; off,on measures and compares both")
        ->delimiter(',')
        ->type_name(choices_of<Fusion>());
    add_option(verb, "--l1", options.l1, "whether strata's own kernels read through the L1 cache")
        ->delimiter(',')
        ->type_name(choices_of<L1Caching>());
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
    add_option(verb, "--slice", options.slice,
               "run only the layers matching this glob, in isolation")
        ->type_name("GLOB");
    add_option(verb, "--layer", options.layers, "show (and dump) only layers matching this glob")
        ->type_name("GLOB");
    add_option(verb, "--pass", options.passes, "show only these passes, separated by commas")
        ->type_name("forward|backward-data|backward-weights|update");
    add_by_option(verb, options.by);
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
    add_gpu_options(*verb, *options);
    add_measuring_options(*verb, *options);
    add_selection_options(*verb, *options);
    add_output_options(*verb, options->output);
    verb->callback([options, &exit] { exit = run_all(*options); });
}

}  // namespace strata
