// SPDX-License-Identifier: MIT
#include "analyze/observed.h"
#include "analyze/regression.h"
#include "base/enumeration.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "device/description.h"
#include "networks/network.h"
#include "store/database.h"
#include "store/infeed.h"
#include "store/observations.h"
#include "sweep/grid.h"
#include "view/analysis.h"
#include "view/distribution.h"
#include "view/infeed.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

namespace strata {

namespace {

struct AnalyzeOptions {
    std::string database;
    std::vector<std::string> where;
    std::string metric{name_of(ObservedMetric::rate)};
    std::vector<std::string> on;  // hyperparameters; empty: all that vary
    bool log2 = false;
    bool second_order = false;
    std::string x = "batch";
    std::string y;
    std::string by;
    std::string backend;
    std::string baseline;
    std::string colour;
    std::vector<std::string> prices;  // BACKEND=USD per hour
    std::vector<std::string> powers;  // BACKEND=watts
    std::vector<std::string> grids;
    std::int64_t batch = 1;
    OutputOptions output;

    ObservedMetric chosen_metric() const {
        return value_named<ObservedMetric>(metric).value_or(ObservedMetric::rate);
    }
    RegressionOptions regression() const {
        return {.scale = log2 ? FeatureScale::log2 : FeatureScale::plain,
                .order = second_order ? 2 : 1};
    }
};

// The selected runs of the database, and the selection.
struct Analysed {
    Observations all;
    AnalysedRuns of;
    std::vector<BackendRuns> groups;
};

// Heap-allocated because groups point into the runs, which therefore must not move.
std::unique_ptr<Analysed> analysed(const AnalyzeOptions& options) {
    std::vector<RunCondition> conditions;
    for (const std::string& text : options.where) {
        conditions.push_back(parse_condition(text));
    }
    const Database database = Database::open_existing(database_path(options.database));
    auto found = std::make_unique<Analysed>();
    found->all = load_observations(database);
    found->of = {found->all.runs.size(), options.where};
    found->all = selected(std::move(found->all), conditions);
    found->groups = by_backend(found->all);
    if (found->all.runs.empty()) {
        throw Error(found->of.stored == 0
                        ? "the database has no run yet: strata run, predict or import store some"
                        : "no stored run meets the conditions of --where",
                    ExitCode::usage);
    }
    return found;
}

std::vector<const Observation*> timed_ones(const std::vector<const Observation*>& runs) {
    std::vector<const Observation*> timed;
    std::ranges::copy_if(runs, std::back_inserter(timed),
                         [](const Observation* run) { return run->time.has_value(); });
    return timed;
}

// If there are several backends, leaves out those without enough runs.
void regression(const AnalyzeOptions& options) {
    const auto found = analysed(options);
    std::vector<std::pair<std::string, Regression>> regressions;
    for (const BackendRuns& group : found->groups) {
        const auto runs = timed_ones(group.runs);
        const std::vector<std::string> names =
            options.on.empty() ? varied_parameters(runs) : options.on;
        const RegressionData data =
            regression_data(found->all, runs, options.chosen_metric(), names);
        const bool is_hopeless = names.empty() || data.target.size() < names.size() + 2;
        if (!is_hopeless || found->groups.size() == 1) {
            regressions.emplace_back(group.backend, regress(data, options.regression()));
        }
    }
    if (regressions.empty()) {
        throw Error(fmt::format("no backend has enough runs with {} that differ in numbers",
                                options.metric),
                    ExitCode::usage);
    }
    emit(regression_document(options.metric, regressions, options.regression(), found->of),
         options.output);
}

void map_heat(const AnalyzeOptions& options) {
    const auto found = analysed(options);
    std::vector<std::pair<std::string, HeatMap>> maps;
    for (const BackendRuns& group : found->groups) {
        const bool has_both = std::ranges::any_of(group.runs, [&](const Observation* run) {
            return parameter_of(*run, options.x) && parameter_of(*run, options.y) &&
                   metric_of(found->all, *run, options.chosen_metric());
        });
        if (has_both || found->groups.size() == 1) {
            maps.emplace_back(
                group.backend,
                heat_map(found->all, group.runs, options.chosen_metric(), options.x, options.y));
        }
    }
    if (maps.empty()) {
        throw Error(fmt::format("no run has {}, {} and {}", printable(options.x),
                                printable(options.y), options.metric),
                    ExitCode::usage);
    }
    emit(heat_map_document(options.chosen_metric(), maps, found->of), options.output);
}

void draw_boxes(const AnalyzeOptions& options) {
    const auto found = analysed(options);
    std::vector<std::pair<std::string, std::vector<Box>>> boxes;
    for (const BackendRuns& group : found->groups) {
        auto of_group = boxes_of(found->all, group.runs, options.chosen_metric(), options.by);
        if (!of_group.empty()) {
            boxes.emplace_back(group.backend, std::move(of_group));
        }
    }
    if (boxes.empty()) {
        throw Error(fmt::format("no run has a {}{}", options.metric,
                                options.by.empty() ? "" : " and " + printable(options.by)),
                    ExitCode::usage);
    }
    emit(boxes_document(options.chosen_metric(), options.by, boxes, found->of), options.output);
}

void draw_roofline(const AnalyzeOptions& options) {
    const auto found = analysed(options);
    emit(sweep_roofline_document(found->all, found->groups, found->of), options.output);
}

bool is_condition(std::string_view text) {
    return text.find_first_of("=<>!") != text.npos;
}

// The runs of the only backend that a glob matches, or those that meet a condition: dtype=bf16.
std::vector<const Observation*> side_of(const Analysed& found, const std::string& text) {
    if (is_condition(text)) {
        const RunCondition condition = parse_condition(text);
        std::vector<const Observation*> runs;
        for (const Observation& run : found.all.runs) {
            if (holds(condition, run)) {
                runs.push_back(&run);
            }
        }
        return runs;
    }
    std::vector<std::string> all;
    std::vector<const BackendRuns*> matched;
    for (const BackendRuns& group : found.groups) {
        all.push_back(group.backend);
        if (matches_glob(text, group.backend)) {
            matched.push_back(&group);
        }
    }
    if (matched.size() != 1) {
        throw Error(fmt::format("'{}' matches {} of the backends that have runs; it must match "
                                "exactly one, or be a condition such as dtype=bf16: {}",
                                printable(text), matched.empty() ? "none" : "several",
                                printable(join(all, ", "), 1000)),
                    ExitCode::usage);
    }
    return matched.front()->runs;
}

// A side's name: its backend, or its condition.
std::string name_of_side(const std::string& text, const std::vector<const Observation*>& runs) {
    return is_condition(text) || runs.empty() ? text : runs.front()->backend;
}

void compare_platforms(const AnalyzeOptions& options) {
    const auto found = analysed(options);
    const auto judged = side_of(*found, options.backend);
    const auto baseline = side_of(*found, options.baseline);
    SpeedupFindings findings{.backend = name_of_side(options.backend, judged),
                             .baseline = name_of_side(options.baseline, baseline),
                             .pairs = pairs_of(judged, baseline)};
    if (findings.pairs.empty()) {
        throw Error(fmt::format("{} and {} have no network with the same batch and mode in common",
                                printable(findings.backend), printable(findings.baseline)),
                    ExitCode::usage);
    }
    std::vector<const Observation*> runs;
    for (const SpeedupPair& pair : findings.pairs) {
        runs.push_back(pair.run);
    }
    findings.parameters = options.on.empty() ? varied_parameters(runs) : options.on;
    findings.colour = options.colour;
    findings.regression_options = options.regression();
    const bool differ = std::ranges::any_of(findings.pairs, [&](const SpeedupPair& pair) {
        return pair.speedup != findings.pairs.front().speedup;
    });
    if (differ && !findings.parameters.empty() && runs.size() >= findings.parameters.size() + 2) {
        findings.regression =
            regress(regression_data(findings.pairs, findings.parameters), options.regression());
    }
    emit(speedup_document(findings, found->of), options.output);
}

void scale_threads(const AnalyzeOptions& options) {
    const auto found = analysed(options);
    std::vector<ThreadSweep> sweeps;
    for (const BackendRuns& group : found->groups) {
        std::ranges::move(thread_sweeps(group.runs), std::back_inserter(sweeps));
    }
    if (sweeps.empty()) {
        throw Error(
            "no stored network ran with different --threads and is otherwise the same: "
            "strata run NETWORK --threads 1,2,4",
            ExitCode::usage);
    }
    emit(scaling_document(sweeps, found->of), options.output);
}

void sweep_batches(const AnalyzeOptions& options) {
    const auto found = analysed(options);
    std::vector<BatchSweep> sweeps;
    for (const BackendRuns& group : found->groups) {
        std::ranges::move(batch_sweeps(group.runs), std::back_inserter(sweeps));
    }
    if (sweeps.empty()) {
        throw Error(
            "no stored network ran with different --batch and is otherwise the same: "
            "strata predict NETWORK --device v100 --batch 1,2,4,8",
            ExitCode::usage);
    }
    emit(batches_document(sweeps, found->of), options.output);
}

void correlate(const AnalyzeOptions& options) {
    const auto found = analysed(options);
    std::vector<std::pair<std::string, WorkCorrelation>> correlations;
    for (const BackendRuns& group : found->groups) {
        if (const auto one = work_correlation(group.runs)) {
            correlations.emplace_back(group.backend, *one);
        }
    }
    if (correlations.empty()) {
        throw Error("no backend has four runs with a time and operations that differ",
                    ExitCode::usage);
    }
    emit(correlation_document(correlations, found->of), options.output);
}

// The number of the last BACKEND=NUMBER whose glob matches.
std::optional<double> number_for(const Observation& run, const std::vector<std::string>& texts,
                                 std::string_view flag) {
    std::optional<double> found;
    for (const std::string& text : texts) {
        const auto [glob, value] = name_and_value(text, flag);
        const auto number = parse_number(value);
        if (!number || !(*number > 0)) {
            throw Error(
                fmt::format("{} {}: give BACKEND=NUMBER, a positive one", flag, printable(text)),
                ExitCode::usage);
        }
        found = matches_glob(glob, run.backend) ? number : found;
    }
    return found;
}

// The cost from the options, or else from the description of the run's device.
PlatformCost platform_cost(const Observation& run, const AnalyzeOptions& options) {
    PlatformCost cost;
    if (const auto device = description_called(platform_of(run))) {
        cost.price = device->price ? std::optional(device->price->value) : std::nullopt;
        cost.power = device->power ? std::optional(device->power->value) : std::nullopt;
    }
    if (const auto price = number_for(run, options.prices, "--price")) {
        cost.price = DollarsPerHour{*price};
    }
    if (const auto power = number_for(run, options.powers, "--power")) {
        cost.power = Watts{*power};
    }
    return cost;
}

void weigh_cost(const AnalyzeOptions& options) {
    const auto found = analysed(options);
    std::vector<const Observation*> runs;
    std::map<std::string, PlatformCost> known;  // by backend
    for (const Observation& run : found->all.runs) {
        runs.push_back(&run);
        if (!known.contains(run.backend)) {
            known[run.backend] = platform_cost(run, options);
        }
    }
    const auto costs =
        costs_of(runs, [&](const Observation& run) { return known.at(run.backend); });
    emit(cost_document(costs, found->of), options.output);
}

void show_infeeds(const AnalyzeOptions& options) {
    const auto found = analysed(options);
    const Database database = Database::open_existing(database_path(options.database));
    std::vector<FedRun> fed;
    for (const Observation& run : found->all.runs) {
        if (auto infeed = load_infeed(database, run.run)) {
            fed.push_back({&run, std::move(*infeed)});
        }
    }
    if (fed.empty()) {
        throw Error("none of these runs was fed with images: strata run NETWORK --infeed",
                    ExitCode::usage);
    }
    emit(infeeds_document(fed, found->of), options.output);
}

// Uses no stored runs: the networks are those of the grids.
void compare_sizes(const AnalyzeOptions& options) {
    constexpr std::int64_t most = 2000;
    std::vector<SizedNetworks> grids;
    for (const std::string& name : options.grids) {
        grids.push_back({name, sizes_of(find_sweep(name), options.batch, most)});
    }
    SizedNetworks real{.name = "zoo"};
    for (const ZooNetwork& network : zoo()) {
        real.networks.push_back(size_of(network.build(options.batch)));
        real.networks.back().name = network.name;
    }
    emit(ranges_document(grids, real, options.batch), options.output);
}

// A verb below `analyze`, with the options common to all.
CLI::App* add_analysis(CLI::App& analyze, const char* name, const char* meaning,
                       const std::shared_ptr<AnalyzeOptions>& options,
                       void (*action)(const AnalyzeOptions& options)) {
    CLI::App* verb = analyze.add_subcommand(name, meaning);
    add_option(*verb, "--where", options->where,
               "only runs that meet this: nodes>=256, backend=paradnn:*, family=fc, mode, dtype, "
               "origin; several must all hold")
        ->type_name("CONDITION");
    add_database_option(*verb, options->database);
    add_output_options(*verb, options->output);
    verb->callback([options, action] { action(*options); });
    return verb;
}

void add_metric(CLI::App& verb, const std::shared_ptr<AnalyzeOptions>& options) {
    constexpr auto names = names_of(ObservedMetric{});
    add_option(verb, "--metric", options->metric, "metric to analyze")
        ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
        ->type_name(choices_of<ObservedMetric>());
}

void add_regression_options(CLI::App& verb, const std::shared_ptr<AnalyzeOptions>& options) {
    add_option(verb, "--on", options->on, "hyperparameters; by default all that vary")
        ->delimiter(',')
        ->type_name("NAME");
    add_switch(verb, "--log2", options->log2, "use their binary logarithms");
    add_switch(verb, "--second-order", options->second_order,
               "include squares and pairwise products");
}

}  // namespace

void add_analyze(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<AnalyzeOptions>();
    CLI::App* verb = app.add_subcommand(
        "analyze", "Summarise many stored runs: what affects a metric, and which platform wins.");
    verb->footer(
        "strata analyze regression --metric utilisation --where family=fc\n"
        "strata analyze heat-map --x batch --y nodes\n"
        "strata analyze speedup paradnn:tpu-v2-8 --over paradnn:v100 --color-by batch");
    verb->require_subcommand(1);
    CLI::App* weights =
        add_analysis(*verb, "regression", "Weigh the hyperparameters by a linear regression.",
                     options, regression);
    add_metric(*weights, options);
    add_regression_options(*weights, options);
    CLI::App* heat = add_analysis(*verb, "heat-map", "Map a metric over two hyperparameters.",
                                  options, map_heat);
    add_metric(*heat, options);
    add_option(*heat, "--x", options->x, "hyperparameter across")->type_name("NAME");
    add_option(*heat, "--y", options->y, "hyperparameter up")->required()->type_name("NAME");
    CLI::App* boxes =
        add_analysis(*verb, "boxes", "Show how a metric is distributed: 2, 9, 50, 91 and 98 %.",
                     options, draw_boxes);
    add_metric(*boxes, options);
    add_option(*boxes, "--by", options->by,
               "hyperparameter to group by; by default only the backend")
        ->type_name("NAME");
    add_analysis(*verb, "roofline", "Draw every network under its device's roofline.", options,
                 draw_roofline);
    CLI::App* speedup = add_analysis(*verb, "speedup", "Compare two platforms, network by network.",
                                     options, compare_platforms);
    speedup
        ->add_option("backend", options->backend,
                     "a backend, or runs that meet a condition, such as dtype=bf16 or version=3.*")
        ->required()
        ->type_name("BACKEND|CONDITION");
    add_option(*speedup, "--over", options->baseline, "baseline to compare with")
        ->required()
        ->type_name("BACKEND|CONDITION");
    add_option(*speedup, "--color-by", options->colour, "hyperparameter that colours the points")
        ->type_name("NAME");
    add_regression_options(*speedup, options);
    add_analysis(*verb, "scaling", "Find the serial share of runs over --threads (Amdahl).",
                 options, scale_threads);
    add_analysis(*verb, "batches", "Show throughput over batch, and where it saturates.", options,
                 sweep_batches);
    CLI::App* cost =
        add_analysis(*verb, "cost", "Weigh speed against money and energy for a million examples.",
                     options, weigh_cost);
    add_option(*cost, "--price", options->prices,
               "US dollars per hour, for backends that match the glob")
        ->type_name("BACKEND=USD");
    add_option(*cost, "--power", options->powers,
               "maximum power in watts, for backends that match the glob")
        ->type_name("BACKEND=W");
    add_analysis(*verb, "infeed", "Show the part of a step that networks spend waiting for images.",
                 options, show_infeeds);
    add_analysis(*verb, "correlation", "Correlate time with operations.", options, correlate);
    CLI::App* ranges = verb->add_subcommand(
        "ranges", "Compare the sizes of a grid's networks with those of the zoo's real ones.");
    ranges->add_option("grid", options->grids, "grids, as for strata sweep")
        ->required()
        ->type_name("SPEC");
    add_option(*ranges, "-b,--batch", options->batch, "examples per step")
        ->check(CLI::Range(1, 1 << 20))
        ->type_name("N");
    add_output_options(*ranges, options->output);
    ranges->callback([options] { compare_sizes(*options); });
}

}  // namespace strata
