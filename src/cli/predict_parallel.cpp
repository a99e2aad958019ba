// SPDX-License-Identifier: MIT
#include "cli/predict_parallel.h"

#include "base/enumeration.h"
#include "base/range.h"
#include "base/text.h"
#include "base/unit_text.h"
#include "parallel/step_interval.h"
#include "predict/device_change.h"
#include "predict/network.h"
#include "run/modelled.h"
#include "view/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace strata {

namespace {

// One of these numbers.
int number_of(const std::string& text, std::string_view flag, std::initializer_list<int> known) {
    const auto value = parse_integer(text);
    const auto* const found =
        std::ranges::find_if(known, [&](int one) { return value && *value == one; });
    if (found == known.end()) {
        throw Error(
            fmt::format("{} takes {}, not '{}'", flag, fmt::join(known, ", "), printable(text)),
            ExitCode::usage);
    }
    return *found;
}

// A whole number of devices or stages.
int count_named(const std::string& text, std::string_view flag) {
    const auto value = parse_integer(text);
    if (!value || *value < 1 || *value > max_devices) {
        throw Error(fmt::format("{} takes a whole number from 1 to {}, not '{}'", flag, max_devices,
                                printable(text)),
                    ExitCode::usage);
    }
    return static_cast<int>(*value);
}

// Each plan so far with each value.
template <class Set>
void multiply(std::vector<ParallelPlan>& plans, const std::vector<std::string>& values, Set&& set) {
    std::vector<ParallelPlan> all;
    for (const ParallelPlan& plan : plans) {
        for (const std::string& value : values) {
            set(all.emplace_back(plan), value);
        }
    }
    plans = std::move(all);
}

std::vector<int> device_counts(const ParallelOptions& options) {
    std::vector<std::string> items = options.devices;
    for (std::string& item : items) {  // "4...1024" is as good as "4..1024"
        if (const auto dots = item.find("..."); dots != std::string::npos) {
            item.erase(dots, 1);
        }
    }
    std::vector<int> counts;
    for (const std::int64_t count : parse_ranges(items, "--devices")) {
        if (count > max_devices) {
            throw Error(fmt::format("--devices {} is more than any cluster has; give at most {}",
                                    count, max_devices),
                        ExitCode::usage);
        }
        counts.push_back(static_cast<int>(count));
    }
    return counts;
}

// Every combination of the options' values, those of equal steps once.
std::vector<ParallelPlan> plans_of(const ParallelOptions& options) {
    ParallelPlan common{.micro_batches = options.micro_batches,
                        .spread = share_named(options.spread, "--spread")};
    if (options.recomputes) {
        common.activations = Activations::recomputed;
    }
    if (!options.algorithm.empty()) {
        common.algorithm = choice_named<CollectiveAlgorithm>(options.algorithm, "--collective");
    }
    std::vector<ParallelPlan> plans = {common};
    multiply(plans, options.strategies, [](ParallelPlan& plan, const std::string& text) {
        plan.strategy = choice_named<Strategy>(text, "--parallel");
    });
    multiply(plans, options.tensor, [](ParallelPlan& plan, const std::string& text) {
        plan.tensor = count_named(text, "--tensor");
    });
    multiply(plans, options.stages, [](ParallelPlan& plan, const std::string& text) {
        plan.stages = count_named(text, "--stages");
    });
    multiply(plans, options.zero, [](ParallelPlan& plan, const std::string& text) {
        plan.zero = number_of(text, "--zero", {0, 1, 2, 3});
    });
    multiply(plans, options.gradient_bits, [](ParallelPlan& plan, const std::string& text) {
        plan.gradient_bits = number_of(text, "--gradient-bits", {32, 16, 1});
    });
    multiply(plans, options.buckets, [](ParallelPlan& plan, const std::string& text) {
        plan.bucket = memory_named(text, "--bucket");
    });
    multiply(plans, options.overlaps, [](ParallelPlan& plan, const std::string& text) {
        plan.overlap = choice_named<Overlap>(text, "--overlap");
    });
    const std::vector<int> counts = device_counts(options);
    std::vector<ParallelPlan> all;
    std::set<ParallelPlan> known;
    for (ParallelPlan plan : plans) {
        for (const int count : counts) {
            plan.devices = count;
            const ParallelPlan one = effective(plan);
            if (known.insert(one).second) {
                all.push_back(one);
            }
        }
    }
    return all;
}

// A network at one batch on one device, or a device's part of it.
struct PredictedBatch {
    std::shared_ptr<const Plan> plan;
    NetworkPrediction prediction = {};
    TensorSplit split = {};    // its graph is the plan's
    std::string refusal = {};  // why it has no prediction
};

// The predictions of one job on one device, each batch and division of layers once.
class BatchPredictions {
public:
    BatchPredictions(Job job, const PredictedDevice& device)
        : job_(std::move(job)), device_(device) {
        set_device(job_, model().device());
    }

    const PredictedBatch& at(std::int64_t batch, int tensor = 1) {
        const std::pair key(batch, tensor);
        auto known = known_.find(key);
        if (known == known_.end()) {
            known = known_.emplace(key, predicted(batch, tensor)).first;
        }
        return known->second;
    }

    DeviceWork work_at(std::int64_t batch, int tensor = 1) {
        const PredictedBatch& found = at(batch, tensor);
        return {found.plan->graph, job_.execution, found.prediction, model().device(),
                found.split.exchanges};
    }

    const Job& job() const { return job_; }
    const DeviceModel& model() const { return device_.model(job_); }
    const PredictedDevice& device() const { return device_; }

private:
    PredictedBatch predicted(std::int64_t batch, int tensor) const {
        Job job = job_;
        job.request.batch = batch;
        PredictedBatch found{.plan = planned(std::move(job)).plan};
        if (tensor > 1) {
            found.split = tensor_split(found.plan->graph, tensor);
            found.refusal = found.split.refusal;
            if (!found.refusal.empty()) {
                return found;
            }
            found.plan = plan_of(std::move(found.split.graph), job_.execution.numerics);
        }
        found.prediction = predict_network(*found.plan, job_.execution, model());
        for (const PredictedStep& step : found.prediction.steps) {
            if (!step.refusal.empty()) {
                found.refusal =
                    fmt::format("{}: {}", found.plan->graph.layers[step.layer].name, step.refusal);
                break;
            }
        }
        return found;
    }

    Job job_;
    const PredictedDevice& device_;
    std::map<std::pair<std::int64_t, int>, PredictedBatch> known_;
};

std::int64_t divided(std::int64_t batch, std::int64_t parts) {
    return (batch + parts - 1) / parts;
}

// The examples of a step and those of one backward pass of one device, the largest if they are not
// equal. Throws Error if some would have none.
struct DividedBatchSizes {
    std::int64_t all = 1;
    std::int64_t of_pass = 1;
};

DividedBatchSizes sizes_of(std::int64_t batch, const ParallelPlan& plan, bool is_weak) {
    const std::int64_t parts = plan.replicas();
    const std::int64_t all = is_weak ? batch * plan.devices : batch;
    if (all < parts * plan.micro_batches) {
        throw Error(fmt::format("a batch of {} cannot be divided among {} devices{}; give a larger "
                                "--batch, fewer devices, or --weak for a batch of each device",
                                all, parts,
                                plan.micro_batches > 1
                                    ? fmt::format(" and {} micro-batches", plan.micro_batches)
                                    : ""),
                    ExitCode::usage);
    }
    return {all, divided(all, parts * plan.micro_batches)};
}

DividedStep divided_step(BatchPredictions& predictions, std::int64_t batch, const Cluster& cluster,
                         const ParallelPlan& plan, bool is_weak) {
    const DividedBatchSizes sizes = sizes_of(batch, plan, is_weak);
    DividedStep found{.settings = settings_of(predictions.job(), sizes.all, 0),
                      .device = predictions.device().name(),
                      .links = cluster.name,
                      .plan = plan};
    const PredictedBatch& part = predictions.at(sizes.of_pass, plan.tensor);
    found.reason = part.refusal;
    if (!found.reason.empty()) {
        return found;
    }
    const DeviceWork work = predictions.work_at(sizes.of_pass, plan.tensor);
    found.step = parallel_step(work, cluster, plan);
    const DeviceModel& model = predictions.model();
    const FoundInterval interval =
        interval_of(found.step, work.prediction,
                    intervals_of(work.prediction, model,
                                 is_changed(model.device(), predictions.job().device_changes))
                        .whole,
                    cluster, plan);
    found.interval = {interval.time.low, interval.time.high, interval.basis};
    found.split_layers = part.split.split.size();
    for (const LayerId layer : part.split.whole) {
        found.whole_layers.push_back(work.graph.layers[layer].name);
    }
    for (const LayerExchange& layer : found.step.layers) {
        found.layers.push_back(work.graph.layers[layer.layer].name);
    }
    // The reference has the same batch, or each device's.
    const std::int64_t single = is_weak ? batch : sizes.all;
    ParallelPlan alone{.micro_batches = plan.micro_batches, .activations = plan.activations};
    const Seconds time =
        parallel_step(predictions.work_at(divided(single, plan.micro_batches)), cluster, alone)
            .time;
    found.single_examples_per_s = static_cast<double>(single) / time.value;
    if (const auto& memory = work.device.memory) {
        found.device_memory = memory->value;
        found.fits = found.step.memory.all() <= memory->value;
    }
    return found;
}

}  // namespace

void add_parallel_options(CLI::App& verb, ParallelOptions& options) {
    begin_group(verb, "Several devices");
    const auto add_list = [&](const char* flag, std::vector<std::string>& list, const char* help,
                              const std::string& type) {
        add_option(verb, flag, list, help)->delimiter(',')->type_name(type);
    };
    add_list("--devices", options.devices,
             "predict a training step that so many devices share: 1,2,4..1024", "N");
    add_list("--parallel", options.strategies, "what is divided among them",
             "data|fsdp|pipeline|tensor");
    add_list(
        "--tensor", options.tensor,
        "so many devices share each layer's channels and heads; --parallel tensor: all of them",
        "N");
    add_list("--stages", options.stages,
             "each pipeline has so many stages; --parallel pipeline: as many as devices", "N");
    add_list("--overlap", options.overlaps,
             "whether gradients are exchanged while the backward pass goes on", "on|off");
    add_list("--gradient-bits", options.gradient_bits, "bits of each gradient on its way",
             "32|16|1");
    add_list("--bucket", options.buckets, "gradients are exchanged in parts of this size", "SIZE");
    add_list("--zero", options.zero,
             "stage of ZeRO: 1 divides the optimizer's state, 2 also gradients, 3 also parameters",
             "0|1|2|3");
    add_option(verb, "--micro-batches", options.micro_batches,
               "parts of each device's batch that pass through a pipeline, or whose gradients are "
               "added up")
        ->check(whole_number(1))
        ->type_name("N");
    add_switch(verb, "--recompute", options.recomputes,
               "compute activations again in the backward pass instead of keeping them");
    add_switch(verb, "--weak", options.is_weak,
               "--batch is that of each device, not of all together");
    add_option(verb, "--links", options.links,
               "how the devices are joined: a name from `strata list links`, or a file; by default "
               "the usual links of the device")
        ->type_name("NAME");
    add_option(verb, "--collective", options.algorithm,
               "the algorithm of exchanges; by default that of the links' library")
        ->type_name(choices_of<CollectiveAlgorithm>());
    add_option(verb, "--spread", options.spread,
               "standard deviation of a device's time from step to step, over its mean: the others "
               "wait for the slowest")
        ->type_name("PERCENT");
    add_switch(verb, "--layers", options.shows_layers, "show the communication of each layer");
}

ExitCode predict_divided(const PredictNetworkOptions& network, const ParallelOptions& options) {
    const std::vector<ParallelPlan> plans = plans_of(options);
    const auto [devices, experiment] = requested_predictions(network);
    std::vector<DividedStep> steps;
    ExitCode code = ExitCode::done;
    for (const Group& group : experiment.groups) {
        for (const Job& job : group) {
            if (job.execution.numerics.mode != Mode::training) {
                throw Error("--devices divides a training step; leave out --inference",
                            ExitCode::usage);
            }
            for (const PredictedDevice& device : devices) {
                const Cluster cluster = options.links.empty()
                                            ? cluster_of(device.model(job).device().name)
                                            : find_cluster(options.links);
                BatchPredictions predictions(job, device);
                const std::int64_t batch = batch_of(job.plan->graph);
                for (const ParallelPlan& plan : plans) {
                    steps.push_back(
                        divided_step(predictions, batch, cluster, plan, options.is_weak));
                    if (!steps.back().reason.empty()) {
                        code = ExitCode::failed;
                    }
                }
            }
        }
    }
    emit(parallel_document(steps, options.shows_layers ? LayerParts::shown : LayerParts::omitted),
         network.output);
    return code;
}

}  // namespace strata
