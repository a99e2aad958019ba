// SPDX-License-Identifier: MIT
#include "import/run.h"

#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "import/counters.h"
#include "import/devices.h"
#include "import/iterations.h"
#include "import/layers.h"
#include "op/op.h"
#include "record/identity.h"
#include "trace/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_set>

namespace strata {

namespace {

constexpr std::size_t max_names = 8;

// A step under construction.
struct ImportedStep {
    std::uint32_t layer = 0;  // index among the attributed layers
    Pass pass = Pass::forward;
    StepKind kind = StepKind::compute;
    std::map<std::size_t, Nanoseconds> times = {};  // by iteration
    std::map<TextId, Nanoseconds> operators = {};   // by name, their total time
    TextId implementation = 0;                      // of the heaviest operator
    TextId layout = 0;
    Nanoseconds heaviest = Nanoseconds(-1);
    AttributedBy by = AttributedBy::nothing;
    bool gives_both_gradients = false;
    std::optional<std::size_t> counted = {};  // the iteration of the counters
    RecordedCounters counters = {};
};

class RunMaker {
public:
    RunMaker(const RecordedProfile& recording, const ImportRequest& request,
             const NetworkSteps* network)
        : recording_(recording),
          network_(network),
          iterations_(iterations_in(recording, request.iterations)),
          layers_(attribute_layers(recording, iterations_,
                                   network == nullptr ? nullptr : &network->graph)) {
        if (!recording.counters.empty()) {
            catalogue_ = metric_catalogue();
        }
        if (network != nullptr) {
            for (const StepResult& step : network->steps) {
                if (step.kind == StepKind::compute) {
                    planned_.emplace(std::pair(std::string_view(step.layer), step.pass), &step);
                }
            }
        }
        describe(request);
    }

    ImportedRun make() {
        gather();
        for (const ImportedStep& step : steps_) {
            add(step);
        }
        add_included();
        run().whole.instrumented = {iterations_.lengths};
        add_trace();
        add_doubts();
        return std::move(result_);
    }

private:
    Run& run() { return result_.run; }
    std::string_view text(TextId id) const { return recording_.texts[id]; }
    const AttributedLayer& layer_of(const ImportedStep& step) const {
        return layers_.layers[step.layer];
    }

    void describe(const ImportRequest& request);
    void gather();
    void count(ImportedStep& step, std::uint32_t i) const;
    Pass pass_in_network(std::uint32_t layer, const RecordedOperator& one) const;
    const StepResult* planned(std::string_view layer, Pass pass) const;
    void add(const ImportedStep& step);
    void take_time(const ImportedStep& step, StepResult& result) const;
    void take_work(const ImportedStep& step, StepResult& result) const;
    void add_included();
    void add_trace();
    void add_doubts();
    void doubt_missing_layers();
    void doubt(const std::string& sentence) {
        run().flags.push_back({DoubtKind::other, sentence, "imported"});
    }

    const RecordedProfile& recording_;
    const NetworkSteps* network_;
    RecordedIterations iterations_;
    LayerAttribution layers_;
    // The network's compute steps.
    std::map<std::pair<std::string_view, Pass>, const StepResult*> planned_ = {};
    MetricCatalogue catalogue_ = {};  // if anything was counted
    std::vector<ImportedStep> steps_ = {};
    ImportedRun result_ = {};
};

void RunMaker::describe(const ImportRequest& request) {
    Run& made = run();
    made.created = request.created;
    made.origin = Origin::imported;
    made.settings.backend = recording_.tool;
    made.settings.network = request.network;
    made.settings.batch = request.batch;
    made.settings.execution.numerics.mode = recorded_mode(recording_);
    made.settings.execution.scheduling.threads = recording_.threads;
    made.settings.execution.engine.algorithm = ConvolutionAlgorithm::automatic;
    made.settings.content = request.content;
    made.provenance = build_provenance();
    made.provenance["import.file"] = request.file;
    made.provenance["import.iterations"] =
        fmt::format("{}, {}", iterations_.count, iterations_.how);
    made.provenance["backend.name"] = recording_.tool;
    if (recording_.devices.size() == 1) {
        made.provenance["import.device"] = label_of(recording_.devices.front());
    }
    if (!recording_.version.empty()) {
        made.provenance["backend.version"] = recording_.version;
    }
    if (!recording_.spans.empty()) {
        made.ran_on = DeviceKind::gpu;
    } else if (!recording_.processor.empty()) {
        made.ran_on = DeviceKind::cpu;
    }
    if (!recording_.processor.empty()) {
        made.provenance[recording_.spans.empty() ? "cpu.model" : "gpu.name"] = recording_.processor;
    }
}

const StepResult* RunMaker::planned(std::string_view layer, Pass pass) const {
    const auto found = planned_.find({layer, pass});
    return found == planned_.end() ? nullptr : found->second;
}

// If a tool gives one time for both gradients and the layer's data needs none, it is the weights'
// time.
Pass RunMaker::pass_in_network(std::uint32_t layer, const RecordedOperator& one) const {
    if (!one.gives_both_gradients) {
        return one.pass;
    }
    const std::string& name = layers_.layers[layer].name;
    const bool has_no_data = planned(name, Pass::backward_data) == nullptr &&
                             planned(name, Pass::backward_weights) != nullptr;
    return has_no_data ? Pass::backward_weights : one.pass;
}

void RunMaker::gather() {
    std::map<std::tuple<std::uint32_t, Pass, StepKind>, std::size_t> places;
    for (std::uint32_t i = 0; i < recording_.operators.size(); ++i) {
        const RecordedOperator& one = recording_.operators[i];
        const auto layer = layers_.of_operator[i];
        const bool is_host_only = !recording_.spans.empty() && one.time == Nanoseconds::zero();
        if (!layer || is_host_only) {
            continue;
        }
        const Pass pass = pass_in_network(*layer, one);
        const auto [place, is_new] =
            places.emplace(std::tuple(*layer, pass, one.kind), steps_.size());
        if (is_new) {
            steps_.push_back({.layer = *layer, .pass = pass, .kind = one.kind});
        }
        ImportedStep& step = steps_[place->second];
        step.times[*iterations_.of_operator[i]] += one.time;
        step.operators[one.name] += one.time;
        step.gives_both_gradients = step.gives_both_gradients || one.gives_both_gradients;
        if (one.time > step.heaviest) {
            step.heaviest = one.time;
            step.implementation = one.implementation;
            step.layout = one.layout;
            step.by = layers_.by[i];
        }
        count(step, i);
    }
    if (steps_.empty()) {
        throw Error(
            fmt::format("the file holds no operator or kernel with a name and a time; record it "
                        "again (strata import --help says where each tool's recipe is){}{}",
                        recording_.ledger.sentences().empty() ? "" : ": ",
                        join(recording_.ledger.sentences(), "; ")));
    }
}

// The counters of the first iteration that has any.
void RunMaker::count(ImportedStep& step, std::uint32_t i) const {
    const auto counters = recording_.counters.find(i);
    if (counters == recording_.counters.end()) {
        return;
    }
    if (!step.counted) {
        step.counted = iterations_.of_operator[i];
        step.counters = counters->second;
    } else if (step.counted == iterations_.of_operator[i]) {
        add_counters(step.counters, counters->second);
    }
}

void RunMaker::add(const ImportedStep& step) {
    const AttributedLayer& layer = layer_of(step);
    StepResult& result = run().steps.emplace_back();
    result.layer = layer.name;
    result.pass = step.pass;
    result.kind = step.kind;
    std::vector<std::pair<Nanoseconds, TextId>> heaviest;
    for (const auto& [name, time] : step.operators) {
        heaviest.emplace_back(time, name);
    }
    std::ranges::stable_sort(heaviest, std::greater(), &std::pair<Nanoseconds, TextId>::first);
    result.operation = text(heaviest.front().second);
    std::string made =
        step.implementation != 0 ? std::string(text(step.implementation)) : result.operation;
    result.implementation_kind = kind_of_implementation(made);
    if (heaviest.size() > 1) {
        made += fmt::format(" and {} more", heaviest.size() - 1);
    }
    result.implementation = fmt::format("{} [by {}]", made, name_of(step.by));
    result.layout = text(step.layout);
    result.metrics = metrics_of(step.counters, catalogue_);
    if (!result.metrics.empty()) {
        result.counted_at = run().steps.size() - 1;
    }
    take_time(step, result);
    result_.by.emplace_back(name_of(step.by));
    take_work(step, result);
}

// One sample per iteration, or the average of all if the step is not part of each.
void RunMaker::take_time(const ImportedStep& step, StepResult& result) const {
    if (!recording_.has_times) {
        result.time = Skipped{"the file has counters but no times"};
        return;
    }
    Samples samples;
    Seconds sum;
    for (const auto& [iteration, time] : step.times) {
        samples.values.push_back(seconds_of(time));
        sum += samples.values.back();
    }
    if (step.times.size() < iterations_.count) {
        result.seen_in = {.iterations = step.times.size(), .of = iterations_.count};
        samples.values = {sum / static_cast<double>(iterations_.count)};
    }
    result.time = std::move(samples);
}

// The network's data of the layer.
void RunMaker::take_work(const ImportedStep& step, StepResult& result) const {
    const AttributedLayer& layer = layer_of(step);
    if (!layer.layer) {
        return;
    }
    const Layer& known = network_->graph.layers[*layer.layer];
    result.operation = kind_of(known.op);
    result.alias = known.alias;
    if (const StepResult* found = planned(layer.name, step.pass);
        found != nullptr && step.kind == StepKind::compute) {
        result.problem = found->problem;
        const double executed = static_cast<double>(step.times.size()) /
                                static_cast<double>(iterations_.count);  // per iteration
        result.flops = executed * found->flops;
        result.read = executed * found->read;
        result.written = executed * found->written;
    }
}

// The second half of a combined backward pass of data and weights.
void RunMaker::add_included() {
    std::unordered_set<std::string_view> recorded;  // layers with a backward pass of only weights
    for (const ImportedStep& step : steps_) {
        if (step.pass == Pass::backward_weights) {
            recorded.insert(layer_of(step).name);
        }
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        if (!steps_[i].gives_both_gradients || steps_[i].pass != Pass::backward_data) {
            continue;
        }
        const std::string layer = run().steps[i].layer;
        const StepResult* weights = planned(layer, Pass::backward_weights);
        if (weights == nullptr || recorded.contains(layer)) {
            continue;
        }
        StepResult& data = run().steps[i];
        data.flops += weights->flops;
        data.read = std::max(data.read, weights->read);
        data.written += weights->written;
        StepResult included = data;
        included.pass = Pass::backward_weights;
        included.flops = {};
        included.read = {};
        included.written = {};
        included.metrics.clear();
        included.counted_at.reset();
        included.time = Included{fmt::format("{} {}", layer, name_of(Pass::backward_data))};
        run().steps.push_back(std::move(included));
        result_.by.emplace_back(result_.by[i]);
    }
}

// The spans of the iteration of median length, as in strata's own traces.
void RunMaker::add_trace() {
    if (recording_.spans.empty() || iterations_.lengths.empty()) {
        return;
    }
    std::vector<std::size_t> order(iterations_.lengths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return iterations_.lengths[i]; });
    const std::size_t median = order[(order.size() - 1) / 2];
    TraceResult trace{
        .device = recording_.processor.empty() ? recording_.tool : recording_.processor,
        .windows = {iterations_.lengths}};
    for (const RecordedSpan& one : recording_.spans) {
        if (iterations_.of_operator[one.launched_by] != median) {
            continue;
        }
        TracedSpan& traced = trace.spans.emplace_back();
        traced.span = one.span;
        const auto layer = layers_.of_operator[one.launched_by];
        const bool is_known = layer && layers_.by[one.launched_by] != AttributedBy::nothing;
        traced.evidence = !one.has_call ? Evidence::no_record
                          : is_known    ? Evidence::call
                                        : Evidence::no_task;
        if (is_known && one.has_call) {
            traced.layer = layers_.layers[*layer].name;
            traced.pass = pass_in_network(*layer, recording_.operators[one.launched_by]);
        }
    }
    std::ranges::stable_sort(trace.spans, {}, [](const TracedSpan& traced) {
        return std::pair(!is_timed(traced.span), traced.span.start);
    });
    run().trace = std::move(trace);
}

void RunMaker::add_doubts() {
    for (const std::string& sentence : recording_.doubts) {
        doubt(sentence);
    }
    for (const std::string& sentence : recording_.ledger.sentences()) {
        doubt(sentence);
    }
    if (iterations_.outside > Nanoseconds::zero()) {
        doubt(
            fmt::format("{:.3f} ms of operators lie outside the {} iterations and are in none of "
                        "the times",
                        seconds_of(iterations_.outside).value * 1e3, iterations_.count));
    }
    if (iterations_.has_wrapped) {
        doubt(
            "the lengths of the iterations are left out: one is negative or longer than an hour, "
            "as if a clock had wrapped");
    }
    if (network_ != nullptr) {
        doubt_missing_layers();
    }
}

// Layers that no engine omits or fuses with others.
bool is_product(const Layer& layer) {
    return std::holds_alternative<Convolution>(layer.op) ||
           std::holds_alternative<FullyConnected>(layer.op);
}

void RunMaker::doubt_missing_layers() {
    std::vector<std::string> missing;
    std::ptrdiff_t missing_products = 0;
    std::set<std::string_view> found;
    for (const StepResult& step : run().steps) {
        found.insert(step.layer);
    }
    for (const Layer& layer : network_->graph.layers) {
        if (!found.contains(layer.name)) {
            missing.push_back(layer.name);
            missing_products += is_product(layer) ? 1 : 0;
        }
    }
    const auto products = std::ranges::count_if(network_->graph.layers, is_product);
    if (2 * missing_products > products) {
        doubt(fmt::format(
            "{} of the network's {} convolutions and fully connected layers are not in the file: "
            "it may be of another network than --network names, and the attribution may be wrong",
            missing_products, products));
    }
    if (!missing.empty()) {
        const std::size_t all = missing.size();
        missing.resize(std::min(all, max_names));
        doubt(fmt::format(
            "nothing in the file was attributed to {} of the network's {} layers ({}{}): the tool "
            "fuses them with others, or its names and shapes do not identify them",
            all, network_->graph.layers.size(), join(missing, ", "),
            all > max_names ? ", ..." : ""));
    }
}

}  // namespace

ImportedRun imported_run(const RecordedProfile& recording, const ImportRequest& request,
                         const NetworkSteps* network) {
    check(recording.ledger.is_balanced(), "each record of an imported file is used or left out");
    return RunMaker(recording, request, network).make();
}

std::optional<std::int64_t> recorded_batch(const RecordedProfile& recording) {
    for (const RecordedOperator& one : recording.operators) {
        const std::string_view type = type_of_operator(recording.texts[one.name]);
        const std::string_view shape = recording.texts[one.shape];
        if (one.pass == Pass::forward && !shape.empty() &&
            (type == "convolution" || type == "product")) {
            return parse_integer(shape.substr(0, shape.find_first_of("x ")));
        }
    }
    return {};
}

Mode recorded_mode(const RecordedProfile& recording) {
    return std::ranges::any_of(
               recording.operators,
               [](const RecordedOperator& one) { return one.pass != Pass::forward; })
               ? Mode::training
               : Mode::inference;
}

}  // namespace strata
