// SPDX-License-Identifier: MIT
#include "view/predicted.h"

#include "analyze/advice.h"
#include "base/error.h"
#include "base/text.h"
#include "base/unit_text.h"
#include "networks/network.h"
#include "predict/quantized.h"
#include "record/options.h"
#include "view/cells.h"
#include "view/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace strata {

namespace {

constexpr Provenance by_model = Provenance::modelled;

std::string step_name(const Graph& graph, const PredictedStep& step) {
    return fmt::format("{} {}{}", graph.layers[step.layer].name, name_of(step.pass),
                       step.kind == StepKind::accumulate ? " (sum of gradients)" : "");
}

bool waits_for_loads(const KernelPrediction& kernel) {
    return kernel.tiles && kernel.tiles->waits_for_loads;
}

std::string text_of_term(Term term, const KernelPrediction& kernel) {
    switch (term) {
        case Term::launch:
            return "the launch: the gap between kernels, and waiting for the host";
        case Term::arithmetic:
            return "arithmetic of the busiest processor";
        case Term::latency:
            return "latency of dependent steps";
        case Term::l2:
            return waits_for_loads(kernel)
                       ? fmt::format(
                             "loads of {} bytes at a time, because rows are no multiple of "
                             "16 bytes",
                             kernel.product()->problem.load_bytes)
                       : "traffic between processors and the L2 cache";
        case Term::dram:
            return "traffic to memory";
        case Term::transforms:
            return "transforms of images, filters and results";
        case Term::split:
            return "adding the sums of splits";
    }
    return "";
}

std::string help_against(Term term, const KernelPrediction& kernel) {
    switch (term) {
        case Term::launch:
            return "a larger batch or fusing layers, so that fewer kernels do more each";
        case Term::arithmetic:
            return kernel.algorithm.empty()
                       ? "fewer operations, a lower precision, or more processors"
                       : "an algorithm with fewer operations, a lower precision, or more "
                         "processors";
        case Term::latency:
            return kernel.tiles ? "a larger batch: there are too few blocks to hide latency"
                                : "more rows at a time";
        case Term::l2:
            return waits_for_loads(kernel) ? "rows that are padded to a multiple of 16 bytes"
                                           : "larger tiles, or a lower precision";
        case Term::dram:
            return kernel.tiles
                       ? "a larger batch, which uses the weights more often, a larger L2 "
                         "cache, or a lower precision"
                       : "fusing it with its neighbour to save a round trip, or a lower precision";
        case Term::transforms:
            return "more channels or filters, which use each transformed tile more often";
        case Term::split:
            return "a larger batch, so that no split is needed";
    }
    return "";
}

// "in 264 blocks of 128 x 64, 2 rounds on 80 processors".
std::string tiles_text(const GemmProblem& problem, const PlannedTiles& tiles,
                       const DeviceDescription& device) {
    std::string text =
        fmt::format("{} x {} x {}{} in {:.0f} blocks of {} x {}", problem.m, problem.n, problem.k,
                    problem.batch > 1 ? fmt::format(", {} times,", problem.batch) : "",
                    tiles.blocks, tiles.tile_m, tiles.tile_n);
    if (tiles.splits > 1) {
        text += fmt::format(", the sums split {} ways", tiles.splits);
    }
    return text + fmt::format(", {:.0f} {} on {:.0f} processors", tiles.rounds,
                              tiles.rounds > 1 ? "rounds" : "round",
                              device.processors->value.value);
}

std::string kernel_sentence(const KernelPrediction& kernel, const DeviceModel& model) {
    const std::string repeats =
        kernel.repeats > 1 ? fmt::format(", {:.0f} times", kernel.repeats) : "";
    const std::string moves =
        fmt::format("it moves {}", text_with_unit(kernel.dram_traffic.value, "B"));
    const std::string what =
        kernel.tiles ? fmt::format("a product of {}", tiles_text(kernel.product()->problem,
                                                                 *kernel.tiles, model.device()))
        : kernel.flops > Flops{}
            ? fmt::format("{} and computes {}", moves, text_with_unit(kernel.flops.value, "FLOP"))
            : moves;
    const Term binding = kernel.binding();
    return fmt::format("{}{} takes {}: {}. The limit is {}; what would help is {}.", kernel.name,
                       repeats, duration(kernel.time), what, text_of_term(binding, kernel),
                       help_against(binding, kernel));
}

// "The next best kernel, volta_sgemm_64x64, would take 1.7 ms."
std::string next_sentence(const KernelPrediction& kernel, const DeviceModel& model) {
    for (const Alternative& other : model.alternatives_to(kernel)) {
        if (other.name != kernel.name) {
            const Seconds once = other.time * kernel.repeats;
            return fmt::format("The next best kernel, {}{}, would take {}.", other.name,
                               other.splits > 1 ? fmt::format(" split {} ways", other.splits) : "",
                               duration(once));
        }
    }
    return "";
}

std::string rates_sentence(const KernelPrediction& kernel, const DeviceModel& model) {
    const RateSource source = model.source_of(kernel.rates);
    return source.origin == RateOrigin::prior
               ? "It uses the default rates for any device because none were fitted to this one's."
               : fmt::format("Its rates are '{}' of {} ({}).", source.name, source.device,
                             name_of(source.origin));
}

Table terms_table(const Graph& graph, const PredictedStep& step) {
    Table table{.columns = {data_column("layer"),
                            data_column("pass"),
                            {"name", "kernel", Importance::essential},
                            {"term", "term", Importance::essential},
                            {"time_s", "time", Importance::essential},
                            {"binds", "binds", Importance::essential}},
                .records = "terms"};
    for (const KernelPrediction& kernel : step.kernels) {
        for (const Term term : all_terms) {
            if (kernel.terms[term] > Seconds{}) {
                table.rows.push_back(
                    {graph.layers[step.layer].name, std::string(name_of(step.pass)), kernel.name,
                     std::string(name_of(term)), time_cell(kernel.terms[term], by_model),
                     flag_cell(term == kernel.binding())});
            }
        }
    }
    table.notes.emplace_back(
        "Arithmetic, latency, l2 and dram overlap; launch, transforms and split are added to the "
        "time that these take together.");
    add_origin(table, Origin::modelled);
    return table;
}

void explain_step(const PredictedNetwork& network, const PredictedStep& step,
                  std::vector<Block>& blocks) {
    const Graph& graph = network.graph;
    blocks.emplace_back(Heading{step_name(graph, step)});
    if (!step.refusal.empty()) {
        blocks.emplace_back(Paragraph{fmt::format("No prediction: {}.", step.refusal)});
    } else if (step.within) {
        blocks.emplace_back(
            Paragraph{fmt::format("It is done by {} {}.", graph.layers[step.within->layer].name,
                                  name_of(step.within->pass))});
    } else if (step.kernels.empty()) {
        blocks.emplace_back(Paragraph{"It costs nothing: its result is an alias of its input."});
    } else {
        for (const KernelPrediction& kernel : step.kernels) {
            std::vector<std::string> said = {kernel_sentence(kernel, network.device),
                                             next_sentence(kernel, network.device),
                                             rates_sentence(kernel, network.device)};
            std::erase(said, "");
            blocks.emplace_back(Paragraph{join(said, " ")});
        }
        blocks.emplace_back(terms_table(graph, step));
    }
}

Cell elasticity_cell(double value) {
    return number_cell(value, "", by_model);
}

std::vector<Cell> elasticity_row(std::string layer, std::string pass, Seconds time,
                                 const Elasticities& found) {
    std::vector<Cell> row = {std::move(layer), std::move(pass), time_cell(time, by_model)};
    for (const double value : found.values) {
        row.push_back(elasticity_cell(value));
    }
    row.push_back(elasticity_cell(found.sum()));
    return row;
}

Table elasticity_table(const PredictedNetwork& network, const Sensitivity& sensitivity) {
    Table table{.title = "Time saved by 1 % more of each resource, in percent",
                .columns = {{"layer", "layer", Importance::essential},
                            {"pass", "pass", Importance::essential},
                            {"time_s", "time", Importance::essential}},
                .records = "sensitivity"};
    for (const Resource resource : all_resources) {
        std::string title(name_of(resource));
        std::ranges::replace(title, '_', ' ');
        table.columns.push_back({fmt::format("{}_elasticity", name_of(resource)), title});
    }
    table.columns.push_back({"elasticity_sum", "sum", Importance::detail});
    const NetworkPrediction& prediction = network.prediction;
    for (std::size_t i = 0; i < prediction.steps.size(); ++i) {
        const PredictedStep& step = prediction.steps[i];
        if (step.has_time() && !step.kernels.empty()) {
            table.rows.push_back(elasticity_row(network.graph.layers[step.layer].name,
                                                std::string(name_of(step.pass)), step.time(),
                                                sensitivity.steps[i]));
        }
    }
    table.totals.push_back(elasticity_row("all", "", prediction.time(), sensitivity.whole));
    table.notes.emplace_back(
        "1: the time falls in proportion as the resource grows; 0: the resource does not matter. "
        "The sum is 1, apart from the size of the L2 cache and a change of kernel.");
    add_origin(table, Origin::modelled);
    return table;
}

Table upgrade_table(std::span<const UpgradeCurve> curves, std::span<const double> factors) {
    Table table{.title = "Which upgrade pays: the total time with a multiple of one resource",
                .columns = {{"upgrade", "upgrade", Importance::essential}},
                .records = "upgrades"};
    for (const double factor : factors) {
        table.columns.push_back({.key = fmt::format("x{:g}_s", factor),
                                 .title = fmt::format("{:g}x", factor),
                                 .importance = Importance::essential,
                                 .read_with = "upgrade"});
    }
    for (const UpgradeCurve& curve : curves) {
        std::vector<Cell> row = {std::string(name_of(curve.upgrade))};
        for (const Seconds time : curve.times) {
            row.push_back(time_cell(time, by_model));
        }
        table.rows.push_back(std::move(row));
    }
    table.notes.emplace_back("clock: arithmetic, latencies and the L2 cache's bandwidth together.");
    add_origin(table, Origin::modelled);
    return table;
}

XyChart upgrade_chart(std::span<const UpgradeCurve> curves, std::span<const double> factors) {
    XyChart chart{.title = "Which upgrade pays",
                  .x = {.key = "factor", .title = "times as much", .scale = AxisScale::logarithmic},
                  .y = {.key = "speedup", .title = "speed-up"}};
    chart.x.ticks.assign(factors.begin(), factors.end());
    for (const UpgradeCurve& curve : curves) {
        XyChart::Series series{.name = std::string(name_of(curve.upgrade)), .mark = Mark::joined};
        for (std::size_t i = 0; i < factors.size(); ++i) {
            series.points.push_back({.name = fmt::format("{} {:g}x", series.name, factors[i]),
                                     .x = factors[i],
                                     .y = curve.times.front() / curve.times[i]});
        }
        chart.series.push_back(std::move(series));
    }
    return chart;
}

}  // namespace

Document explanation_document(const PredictedNetwork& network, std::string_view layers) {
    Document document{.title = network.title, .blocks = {}, .kind = "prediction-terms"};
    for (const PredictedStep& step : network.prediction.steps) {
        if (is_called(network.graph.layers[step.layer], layers)) {
            explain_step(network, step, document.blocks);
        }
    }
    if (document.blocks.empty()) {
        throw Error(fmt::format("{} has no layer that matches --explain '{}': see its layers with "
                                "strata show",
                                printable(network.graph.name), printable(layers)),
                    ExitCode::usage);
    }
    return document;
}

Document sensitivity_document(const PredictedNetwork& network, const Sensitivity& sensitivity,
                              std::span<const UpgradeCurve> curves) {
    Document document{.title = network.title, .blocks = {}, .kind = "sensitivity"};
    document.blocks.emplace_back(elasticity_table(network, sensitivity));
    document.blocks.emplace_back(upgrade_table(curves, upgrade_factors));
    document.blocks.emplace_back(upgrade_chart(curves, upgrade_factors));
    return document;
}

namespace {

// The device model that the run was predicted with. Throws Error if it is no longer available.
std::unique_ptr<DeviceModel> device_again(const Run& run) {
    return model_of(find_description(run.provenance.at("device.name")),
                    changes_in(run.settings.device_changes));
}

Graph graph_again(const Settings& settings) {
    Graph graph = load_network({.network = settings.network,
                                .batch = settings.batch,
                                .dims = settings.dims,
                                .variables = settings.variables},
                               settings.execution.numerics.mode);
    return as_multiplied(settings.slice.empty() ? graph : slice(graph, settings.slice),
                         settings.device_changes);
}

bool can_predict_again(const Run& run) {
    return run.origin == Origin::modelled && run.settings.content.empty() &&
           run.provenance.contains("device.name");
}

// A stored prediction, made again. Throws Error if its device or network is no longer there.
struct PredictedAgain {
    explicit PredictedAgain(const Run& run)
        : device(device_again(run)),
          plan(plan_of(graph_again(run.settings), run.settings.execution.numerics)),
          prediction(predict_network(*plan, run.settings.execution, *device)) {}

    std::unique_ptr<DeviceModel> device;
    std::shared_ptr<const Plan> plan;
    NetworkPrediction prediction;
};

}  // namespace

std::vector<Block> sensitivity_blocks(const Run& run) {
    if (!can_predict_again(run)) {
        return {};
    }
    try {
        const PredictedAgain again(run);
        const Execution& execution = run.settings.execution;
        return sensitivity_document(
                   {again.plan->graph, again.prediction, *again.device, ""},
                   sensitivity_of(*again.plan, execution, *again.device),
                   upgrades_of(*again.plan, execution, *again.device, upgrade_factors))
            .blocks;
    } catch (const Error&) {
        return {};  // the rest of the report stands without it
    }
}

}  // namespace strata
