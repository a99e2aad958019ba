// SPDX-License-Identifier: MIT
#include "view/report.h"

#include "base/enumeration.h"
#include "view/budget_table.h"
#include "view/cells.h"
#include "view/machine.h"
#include "view/memory_table.h"
#include "view/run.h"
#include "view/runs.h"
#include "view/sweep.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

Flops flops_of(const Summary& summary) {
    Flops flops;
    for (const auto& pass : summary.passes) {
        flops += pass.flops;
    }
    return flops;
}

Cell images_per_second(const Run& run, const Budget& budget) {
    if (!budget.end_to_end || budget.end_to_end->median <= Seconds{0}) {
        return Missing{"no whole iteration was timed"};
    }
    return number_cell(static_cast<double>(run.settings.batch) / budget.end_to_end->median.value,
                       "1/s", derived_from(run.origin));
}

Cell rate_of(const RunFindings& findings) {
    const auto& steps = findings.summary.budget.steps;
    return optional_cell(steps, [&](const Estimate& time) {
        return number_cell((flops_of(findings.summary) / time.median).value, "FLOP/s",
                           derived_from(findings.run.origin));
    });
}

Tiles tiles_of(const RunFindings& findings) {
    const Run& run = findings.run;
    const Budget& budget = findings.summary.budget;
    const auto ratio = [](const Ratio& one) { return percent_cell(one.value); };
    const auto time = [&](const Estimate& one) { return time_cell(one, times_of(run.origin)); };
    return {{{"origin", "origin", std::string(name_of(run.origin))},
             {"end_to_end_s", "end to end", optional_cell(budget.end_to_end, time, "not timed")},
             {"samples_per_s", "samples per second", images_per_second(run, budget)},
             {"steps_s", "sum of the steps", optional_cell(budget.steps, time, "none measured")},
             {"residual_percent", "not in any step", optional_cell(budget.residual, ratio)},
             {"overhead_percent", "cost of time stamps", optional_cell(budget.overhead, ratio)},
             {"flop_per_s", "arithmetic done", rate_of(findings)},
             {"predicted_memory_bytes", "memory, by liveness", bytes_cell(run.predicted_memory)},
             {"measured_memory_bytes", "memory, measured",
              optional_cell(
                  run.measured_memory, [](Bytes b) { return bytes_cell(b, Provenance::measured); },
                  "not measured")},
             {"predicted_over_measured_percent", "memory, predicted of measured",
              memory_ratio_cell(run)},
             {"flags", "doubts", count_cell(static_cast<double>(run.flags.size()))}}};
}

StackedBars bars_of(const Summary& summary) {
    StackedBars bars{.title = "Time by layer and pass", .unit = "s"};
    for (const auto& layer : summary.layers) {
        bars.labels.push_back(layer.layer);
    }
    for (const auto& total : summary.passes) {
        StackedBars::Series series{.name = std::string(name_of(total.pass))};
        for (const auto& layer : summary.layers) {
            const auto time = layer.passes[static_cast<std::size_t>(total.pass)];
            series.values.push_back(time ? std::optional(time->value) : std::nullopt);
        }
        bars.series.push_back(std::move(series));
    }
    return bars;
}

void add_roofs(RooflineChart& chart, const Run& run) {
    const auto device = ceilings_of(run);
    if (!device) {
        return;
    }
    const std::string arithmetic = arithmetic_of(run.settings);
    if (const auto peak = peak_of(*device, arithmetic)) {
        chart.roofs.push_back({.name = arithmetic + " peak", .compute = peak});
    }
    for (const auto& level : device->memory) {
        chart.roofs.push_back({.name = level.name, .bandwidth = level.bandwidth.value});
    }
}

RooflineChart roofline_of(const RunFindings& findings) {
    RooflineChart chart{.title = "Roofline: steps by intensity and rate, sized by their time"};
    add_roofs(chart, findings.run);
    for (std::size_t i = 0; i < findings.run.steps.size(); ++i) {
        const StepResult& step = findings.run.steps[i];
        const StepTime& time = findings.summary.steps[i];
        const Bytes traffic = step.read + step.written;
        if (time.time && step.flops > Flops{0} && traffic > Bytes{0} &&
            time.time->median > Seconds{0}) {
            chart.points.push_back({step.layer, std::string(name_of(step.pass)),
                                    step.flops / traffic, step.flops / time.time->median,
                                    time.share});
        }
    }
    return chart;
}

void add_run(Document& document, const Run& run) {
    const RunFindings findings = findings_of(run);
    auto& blocks = document.blocks;
    blocks.emplace_back(Paragraph{machine_line(run)});
    if (run.state == RunState::partial) {
        blocks.emplace_back(Paragraph{"This run was interrupted: it is not complete."});
    }
    blocks.emplace_back(tiles_of(findings));
    blocks.emplace_back(provenance_table(run));
    if (!run.flags.empty()) {
        blocks.emplace_back(flags_table(run));
    }
    for (auto& block : verdict_blocks(findings)) {
        blocks.push_back(std::move(block));
    }
    blocks.emplace_back(Heading{"Layers"});
    blocks.emplace_back(bars_of(findings.summary));
    blocks.emplace_back(roofline_of(findings));
    blocks.emplace_back(Heading{"Steps"});
    blocks.emplace_back(budget_table(findings.summary.budget, times_of(run.origin)));
    blocks.emplace_back(memory_table(run));
    blocks.emplace_back(steps_table(findings));
    auto profile = profile_blocks(run);
    if (!profile.empty()) {
        blocks.emplace_back(Heading{"Kernels and counters"});
        std::ranges::move(profile, std::back_inserter(blocks));
    }
}

}  // namespace

Document report_document(std::span<const Run> runs) {
    if (runs.size() == 1) {
        Document document{settings_line(runs.front()), {}};
        add_run(document, runs.front());
        return document;
    }
    Document document{fmt::format("{} runs", runs.size()), {runs_table(runs)}};
    if (const auto sweep = sweep_of(runs)) {
        document.blocks.emplace_back(Heading{"Over " + sweep->variable});
        for (auto& block : sweep_blocks(*sweep)) {
            document.blocks.push_back(std::move(block));
        }
    }
    for (const auto& run : runs) {
        document.blocks.emplace_back(
            Heading{fmt::format("Run {}: {}", run.id, settings_line(run))});
        add_run(document, run);
    }
    return document;
}

}  // namespace strata
