// SPDX-License-Identifier: MIT
#include "backend/module.h"
#include "base/enumeration.h"
#include "base/hash.h"
#include "base/output.h"
#include "base/processors.h"
#include "base/range.h"
#include "base/text.h"
#include "cli/backends.h"
#include "cli/measuring.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "device/host.h"
#include "run/execute.h"
#include "run/modelled.h"
#include "scale/measured_collectives.h"
#include "scale/merged_step.h"
#include "view/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

namespace strata {

namespace {

constexpr int warm_up = 3;
constexpr int verified_iterations = 3;
// Sums of f32 in another order, carried through some updates; of the largest parameter.
constexpr double verified_within = 1e-4;

struct ScaleOptions {
    NetworkOptions network;
    std::vector<std::string> workers = {"1"};
    std::vector<std::string> overlaps = {"on"};
    std::vector<std::string> buckets = {"25MB"};
    std::vector<std::string> compressions = {"none"};
    bool is_weak = false;
    bool verifies = false;
    bool shows_layers = false;
    bool no_wait = false;
    int iterations = 10;
    double limit = 60;
    std::string device;  // on which the same is predicted; empty: nothing is
    std::string links = "host";
    std::string backend{backends().front().name};
    Settings settings;
    OutputOptions output;
};

// Every combination of the options' values; one worker, who exchanges nothing, once.
std::vector<TrainingPlan> training_plans(const ScaleOptions& options) {
    std::vector<TrainingPlan> plans;
    const auto add = [&](const TrainingPlan& plan) {
        if (std::ranges::find(plans, plan) == plans.end()) {
            plans.push_back(plan);
        }
    };
    for (const std::string& compression : options.compressions) {
        for (const std::string& bucket : options.buckets) {
            for (const std::string& overlap : options.overlaps) {
                const TrainingPlan shared{
                    .overlap = choice_named<Overlap>(overlap, "--overlap"),
                    .bucket = memory_named(bucket, "--bucket"),
                    .compression = choice_named<Compression>(compression, "--compression")};
                for (const std::int64_t count : parse_ranges(options.workers, "--workers")) {
                    TrainingPlan plan = count == 1 ? TrainingPlan() : shared;
                    plan.workers = static_cast<int>(count);
                    add(plan);
                }
            }
        }
    }
    return plans;
}

// Refuses what no rank could do, before any of them begins.
void require_ranks(const std::vector<TrainingPlan>& plans, std::int64_t batch, bool is_weak) {
    for (const TrainingPlan& plan : plans) {
        if (plan.workers > launch().size) {
            throw Error(fmt::format("--workers {} needs as many ranks, but there {} {}: start it "
                                    "with mpirun -n {} strata scale ...",
                                    plan.workers, launch().size == 1 ? "is" : "are", launch().size,
                                    plan.workers),
                        ExitCode::usage);
        }
        if (!is_weak && batch % plan.workers != 0) {
            throw Error(
                fmt::format("a batch of {} cannot be divided equally among {} workers; give "
                            "a multiple of that as --batch, or --weak for a batch of each",
                            batch, plan.workers),
                ExitCode::usage);
        }
    }
}

// A share of this process's processors if ranks share them.
int threads_for(const ScaleOptions& options, int workers) {
    const int asked = options.settings.execution.scheduling.threads;
    const int processors = static_cast<int>(allowed_processors().size());
    return asked > 0 ? asked : std::max(1, processors / workers);
}

// What the model says of a plan: a device with a rank's threads, the links, and the copies of
// gradients at the memory's peak. Throws Error if the device or the links are not known.
DividedStep predicted_step(const ScaleOptions& options, const Job& asked, const Cluster& cluster,
                           const TrainingPlan& plan) {
    const std::int64_t batch = batch_of(asked.plan->graph);
    const std::int64_t own = options.is_weak ? batch : batch / plan.workers;
    const int threads = threads_for(options, plan.workers);
    auto host = host_name_in(options.device);
    if (host) {
        host->threads = threads;
    }
    const auto device = model_of(find_description(host ? text_of(*host) : options.device));
    Job job = asked;
    job.request.batch = own;
    job.execution.scheduling.threads = threads;
    job.execution.scheduling.memory = MemoryReuse::kept;
    set_device(job, device->device());
    job = planned(std::move(job));
    DividedStep found{
        .settings = settings_of(job, own * plan.workers, threads),
        .device = device->device().name,
        .links = cluster.name,
        .plan = {.devices = plan.workers, .overlap = plan.overlap, .bucket = plan.bucket},
        .compression = std::string(name_of(plan.compression))};
    const NetworkPrediction prediction = predict_network(*job.plan, job.execution, *device);
    const auto refused = std::ranges::find_if(
        prediction.steps, [](const PredictedStep& step) { return !step.refusal.empty(); });
    if (refused != prediction.steps.end()) {
        found.reason =
            fmt::format("{}: {}", job.plan->graph.layers[refused->layer].name, refused->refusal);
        return found;
    }
    if (plan.compression != Compression::none) {
        found.reason = "only gradients of 32 bits are predicted here";
        return found;
    }
    if (plan.workers > 1) {
        found.plan.overhead =
            copied_bytes(job.plan->graph, job.execution) / device->device().dram_bandwidth->value;
    }
    const DeviceWork work{job.plan->graph, job.execution, prediction, device->device()};
    found.step = parallel_step(work, cluster, found.plan);
    for (const LayerExchange& layer : found.step.layers) {
        found.layers.push_back(job.plan->graph.layers[layer.layer].name);
    }
    return found;
}

std::vector<DividedStep> predicted_steps(const ScaleOptions& options, const Job& job,
                                         const std::vector<TrainingPlan>& plans) {
    std::vector<DividedStep> steps;
    if (!options.device.empty()) {
        const Cluster cluster = find_cluster(options.links);
        for (const TrainingPlan& plan : plans) {
            steps.push_back(predicted_step(options, job, cluster, plan));
        }
    }
    return steps;
}

// All workers of one rank, plan by plan.
class RankOfScale {
public:
    RankOfScale(const ScaleOptions& options, const Job& job, Session& session, Exchanger& exchanger)
        : options_(options),
          job_(job),
          batch_(batch_of(job.plan->graph)),
          session_(session),
          exchanger_(exchanger) {}

    // Throws Error if a rank has another network, request or program.
    void require_equal_ranks() {
        const std::string own =
            fmt::format("{} {} {} {} {} {} {} {} {} {}", identity_of(job_), module_interface(),
                        batch_, options_.is_weak, options_.verifies, options_.iterations,
                        fmt::join(options_.workers, ","), fmt::join(options_.overlaps, ","),
                        fmt::join(options_.buckets, ","), fmt::join(options_.compressions, ","));
        constexpr std::uint64_t exact_as_double = (std::uint64_t{1} << 53) - 1;
        const std::uint64_t number = hash_of(own) & exact_as_double;
        const std::vector<double> all = of_all_ranks(
            exchanger_, exchanger_.size(), std::vector<double>{static_cast<double>(number)});
        for (std::size_t rank = 1; rank < all.size(); ++rank) {
            if (all[rank] != all.front()) {
                throw Error(
                    fmt::format("rank {} has another network, other options or another "
                                "version of strata than rank 0; give all hosts the same",
                                rank));
            }
        }
    }

    DividedStep measure(const TrainingPlan& plan) {
        const std::int64_t own = options_.is_weak ? batch_ : batch_ / plan.workers;
        const std::int64_t all = own * plan.workers;
        DividedStep found{
            .settings = settings_of(job_, all, threads_for(options_, plan.workers)),
            .device = "host",
            .links = "MPI",
            .plan = {.devices = plan.workers, .overlap = plan.overlap, .bucket = plan.bucket},
            .origin = Origin::measured,
            .compression = std::string(name_of(plan.compression))};
        if (exchanger_.rank() < plan.workers) {
            found.step = trained(plan, own, all, found.layers);
        } else if (options_.verifies) {
            require_equal_parameters(plan, 0);
        }
        exchanger_.meet(exchanger_.size(), patience_of_idle);
        return found;
    }

private:
    // A network of this batch, prepared on this rank.
    struct Prepared {
        Job job;
        std::shared_ptr<Backend> backend;
        std::unique_ptr<Executable> executable;

        const Graph& graph() const { return job.plan->graph; }
    };

    Job job_at(std::int64_t batch) const {
        Job job = job_;
        job.request.batch = batch;
        return planned(std::move(job));
    }

    Prepared prepared(std::int64_t batch, int workers) {
        Prepared found{.job = job_at(batch), .backend = {}, .executable = {}};
        Scheduling& scheduling = found.job.execution.scheduling;
        scheduling.threads = threads_for(options_, workers);
        scheduling.pinned = workers == 1;
        scheduling.memory = MemoryReuse::kept;
        found.backend = session_.backend_of(found.job);
        found.executable = prepare(found.job, *found.backend, MemoryReuse::kept);
        return found;
    }

    ParallelStep trained(const TrainingPlan& plan, std::int64_t own, std::int64_t all,
                         std::vector<std::string>& layers) {
        Prepared network = prepared(own, plan.workers);
        SharedTraining training(network.graph(), network.job.execution, *network.executable, plan,
                                exchanger_);
        training.take_part_of(job_at(all).plan->graph);
        if (options_.verifies) {
            verify(plan, all, training, network);
        }
        for (int i = 0; i < warm_up; ++i) {
            training.iterate();
        }
        const ParallelStep step = merged(plan, training, network.graph().layers.size());
        for (const LayerExchange& layer : step.layers) {
            layers.push_back(network.graph().layers[layer.layer].name);
        }
        return step;
    }

    ParallelStep merged(const TrainingPlan& plan, SharedTraining& training, std::size_t layers) {
        const double zero = plan.workers > 1 ? exchanger_.meet(plan.workers).value : 0;
        std::vector<double> own;
        for (int i = 0; i < options_.iterations; ++i) {
            IterationTimes times = training.iterate();
            for (BucketTimes& bucket : times.buckets) {
                bucket.begin -= zero;
                bucket.end -= zero;
            }
            const std::vector<double> numbers = numbers_of(times);
            own.insert(own.end(), numbers.begin(), numbers.end());
        }
        const std::vector<double> all =
            plan.workers > 1 ? of_all_ranks(exchanger_, plan.workers, own) : own;
        const std::size_t size = own.size() / static_cast<std::size_t>(options_.iterations);
        IterationsByRank ranks;
        for (std::size_t at = 0; at < all.size(); at += size) {
            if (at % own.size() == 0) {
                ranks.emplace_back();
            }
            ranks.back().push_back(iteration_of(std::span(all).subspan(at, size), layers));
        }
        return merged_step(ranks, training.bucket_layers());
    }

    // Compares the ranks' parameters with those of one worker that trains on the whole batch.
    void verify(const TrainingPlan& plan, std::int64_t all, SharedTraining& training,
                const Prepared& network) {
        for (int i = 0; i < verified_iterations; ++i) {
            training.iterate();
        }
        double difference = 0;
        if (exchanger_.rank() == 0 && plan.workers > 1) {
            Prepared whole = prepared(all, 1);
            SharedTraining alone(whole.graph(), whole.job.execution, *whole.executable, {},
                                 exchanger_);
            for (int i = 0; i < verified_iterations; ++i) {
                alone.iterate();
            }
            difference =
                parameter_difference(network.graph(), *network.executable, *whole.executable);
        }
        require_equal_parameters(plan, difference);
    }

    // All ranks learn what rank 0 found, so that none waits for one that has ended.
    void require_equal_parameters(const TrainingPlan& plan, double difference) {
        if (plan.workers == 1) {
            return;
        }
        exchanger_.meet(exchanger_.size(), patience_of_idle);
        difference =
            of_all_ranks(exchanger_, exchanger_.size(), std::vector<double>{difference}).front();
        const std::string what = fmt::format(
            "parameters of {} workers differ from those of one worker on the whole batch by {:.1e} "
            "of the largest after {} steps",
            plan.workers, difference, verified_iterations);
        if (plan.compression == Compression::none && !(difference <= verified_within)) {
            throw Error(
                fmt::format("the {}, more than {:.0e}; normalisation over the batch and "
                            "dropout make them differ, or the network has no loss",
                            what, verified_within));
        }
        if (exchanger_.rank() == 0) {
            write_remark(what + "\n");
        }
    }

    const ScaleOptions& options_;
    const Job& job_;
    std::int64_t batch_;
    Session& session_;
    Exchanger& exchanger_;
};

// One worker is what the others are compared with.
void add_single(std::vector<DividedStep>& steps) {
    const auto single =
        std::ranges::find_if(steps, [](const DividedStep& one) { return one.plan.devices == 1; });
    if (single == steps.end()) {
        return;
    }
    const double rate = single->examples_per_s();
    for (DividedStep& one : steps) {
        one.single_examples_per_s = rate;
    }
}

// Each measured step followed by the predicted one, if there is any.
std::vector<DividedStep> beside(std::vector<DividedStep> measured,
                                std::vector<DividedStep> predicted) {
    add_single(measured);
    add_single(predicted);
    std::vector<DividedStep> all;
    for (std::size_t i = 0; i < measured.size(); ++i) {
        all.push_back(std::move(measured[i]));
        if (i < predicted.size()) {
            predicted[i].measured = all.back().step.time;
            all.push_back(std::move(predicted[i]));
        }
    }
    return all;
}

Job job_for(const ScaleOptions& options) {
    Job job;
    job.backend = options.backend;
    if (options.network.networks.size() != 1) {
        throw Error("name one network to train", ExitCode::usage);
    }
    const auto batches = batches_of(options.network);
    if (batches.size() > 1) {
        throw Error("--batch takes one number here", ExitCode::usage);
    }
    job.request = request_for(options.network, options.network.networks.front(),
                              batches.empty() ? std::nullopt : std::optional(batches.front()));
    job.execution = options.settings.execution;
    return job;
}

ExitCode scale(const ScaleOptions& options) {
    const std::vector<TrainingPlan> plans = training_plans(options);
    const Job job = planned(job_for(options));
    require_ability(find_backend(options.backend), options.settings);
    require_ranks(plans, batch_of(job.plan->graph), options.is_weak);
    if (launch().size == 1) {
        throw Error("scale needs ranks to compare: start it with mpirun -n 2 strata scale ...",
                    ExitCode::usage);
    }
    const bool is_first = launch().rank == 0;
    const std::vector<DividedStep> predicted =
        is_first ? predicted_steps(options, job, plans) : std::vector<DividedStep>();
    Session session(when_locked(options.no_wait));
    std::optional<MeasuringLock> lock;
    if (is_first) {
        lock.emplace(session.take_turn());
    }
    Exchanger exchanger(open_mpi, Seconds{options.limit});
    RankOfScale rank(options, job, session, exchanger);
    std::vector<DividedStep> steps;
    std::exception_ptr trouble;
    try {
        exchanger.meet(exchanger.size(), patience_of_idle);  // rank 0 may wait for the machine
        rank.require_equal_ranks();
        for (const TrainingPlan& plan : plans) {
            steps.push_back(rank.measure(plan));
        }
    } catch (const Error&) {
        trouble = std::current_exception();
    }
    if (is_first && !steps.empty()) {
        emit(parallel_document(beside(std::move(steps), predicted),
                               options.shows_layers ? LayerParts::shown : LayerParts::omitted),
             options.output);
    }
    if (trouble) {
        std::rethrow_exception(trouble);
    }
    return ExitCode::done;
}

ExitCode scale_as_launched(const ScaleOptions& options) {
    try {
        return scale(options);
    } catch (const Error& error) {
        if (is_told_by(launch().rank, error)) {
            throw;
        }
        return error.code();
    }
}

void add_scale_options(CLI::App& verb, ScaleOptions& options) {
    add_network_options(verb, options.network);
    const auto add_list = [&](const char* flag, std::vector<std::string>& list, const char* help,
                              const std::string& type) {
        add_option(verb, flag, list, help)->delimiter(',')->type_name(type);
    };
    begin_group(verb, "Several ranks");
    add_list("--workers", options.workers, "numbers of ranks that train together: 1,2,4", "N");
    add_switch(verb, "--weak", options.is_weak,
               "--batch is of each worker, instead of all together");
    add_list("--overlap", options.overlaps,
             "whether gradients are exchanged while the backward pass goes on",
             choices_of<Overlap>());
    add_list("--bucket", options.buckets, "gradients are exchanged in parts of this size", "SIZE");
    add_list("--compression", options.compressions, "how gradients are sent",
             choices_of<Compression>());
    add_switch(verb, "--verify", options.verifies,
               "first compare the parameters with those of one worker on the whole batch");
    add_switch(verb, "--layers", options.shows_layers, "show the communication of each layer");
    add_option(verb, "--device", options.device,
               "also predict each step on this device: host, or a name from `strata list devices`")
        ->type_name("NAME");
    add_option(verb, "--links", options.links,
               "what joins the predicted devices: a name from `strata list links`, those of "
               "`strata calibrate --collectives`, or a file")
        ->type_name("NAME");
    add_option(verb, "--limit", options.limit,
               "seconds that a rank may let the others wait before the run ends")
        ->check(CLI::Range(0.1, 86400.0))
        ->type_name("SECONDS");
    begin_group(verb, "Execution");
    add_option(verb, "--backend", options.backend, "backend to run on")
        ->type_name(join(backend_names(), "|"));
    for (const char* name : {"threads", "dtype", "optimizer", "algorithm"}) {
        add_listed(verb, option_named(name), options.settings);
    }
    add_option(verb, "--iterations", options.iterations, "measured steps of each plan")
        ->check(whole_number(1))
        ->type_name("N");
    add_switch(verb, "--no-wait", options.no_wait,
               "measure even while another strata is measuring on this machine");
}

}  // namespace

void add_scale(CLI::App& app, ExitCode& exit) {
    auto options = std::make_shared<ScaleOptions>();
    CLI::App* verb = app.add_subcommand(
        "scale",
        "Train a network on several ranks together, and show what their communication costs.");
    verb->footer(
        "mpirun -n 2 strata scale alexnet --batch 16 --workers 1,2 --overlap on,off\n"
        "mpirun -n 4 strata scale resnet-50 --batch 8 --weak --workers 1,2,4 --layers");
    add_scale_options(*verb, *options);
    add_output_options(*verb, options->output);
    verb->callback([options, &exit] { exit = scale_as_launched(*options); });
}

}  // namespace strata
