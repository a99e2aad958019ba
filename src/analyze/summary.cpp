// SPDX-License-Identifier: MIT
#include "analyze/summary.h"

#include "record/completeness.h"
#include "record/step_times.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace strata {

namespace {

std::vector<StepTime> times_of(const Run& run) {
    std::vector<StepTime> times(run.steps.size());
    Seconds sum;
    const auto estimates = step_times(run);
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (estimates[i]) {
            times[i].time = estimates[i];
            const Seconds median = times[i].time->median;
            sum += median;
            if (run.empty_step && median > Seconds{0}) {
                times[i].stamp_share = *run.empty_step / median;
            }
        }
    }
    if (is_incomplete(run)) {
        return times;
    }
    for (auto& step : times) {
        if (step.time && sum > Seconds{0}) {
            step.share = step.time->median / sum;
        }
    }
    return times;
}

std::vector<PassTotal> pass_totals(const Run& run, const std::vector<StepTime>& times) {
    std::vector<PassTotal> totals;
    for (const Pass pass : all_passes) {
        PassTotal total{.pass = pass, .time = {}, .flops = {}, .traffic = {}};
        bool occurs = false;
        for (std::size_t i = 0; i < run.steps.size(); ++i) {
            const StepResult& step = run.steps[i];
            if (step.pass == pass && times[i].time) {
                occurs = true;
                total.time += times[i].time->median;
                add_share(total.share, times[i].share);
                total.flops += step.flops;
                total.traffic += step.read + step.written;
            }
        }
        if (occurs) {
            totals.push_back(total);
        }
    }
    return totals;
}

// Each layer's position in the network: its first step's.
std::map<std::string, std::size_t> places_of(const Run& run) {
    std::map<std::string, std::size_t> places;
    for (const auto& step : run.steps) {
        places.emplace(step.layer, places.size());
    }
    return places;
}

void add(LayerTotal& total, Pass pass, const StepTime& step) {
    auto& sum = total.passes[static_cast<std::size_t>(pass)];
    sum = sum.value_or(Seconds{}) + step.time->median;
    total.time += step.time->median;
    add_share(total.share, step.share);
}

std::vector<LayerTotal> layer_totals(const Run& run, const std::vector<StepTime>& times) {
    const auto places = places_of(run);
    std::vector<LayerTotal> totals(places.size());
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        LayerTotal& total = totals[places.at(run.steps[i].layer)];
        total.layer = run.steps[i].layer;
        total.operation = run.steps[i].operation;
        if (times[i].time) {
            add(total, run.steps[i].pass, times[i]);
        }
    }
    return totals;
}

}  // namespace

void add_share(std::optional<double>& whole, std::optional<double> part) {
    if (part) {
        whole = whole.value_or(0) + *part;
    }
}

Summary summarise(const Run& run) {
    Summary summary;
    summary.steps = times_of(run);
    summary.layers = layer_totals(run, summary.steps);
    summary.passes = pass_totals(run, summary.steps);
    summary.budget = budget_of(run);
    return summary;
}

std::vector<std::size_t> steps_by_layer(const Run& run) {
    const auto places = places_of(run);
    std::vector<std::size_t> order(run.steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
        return std::pair(places.at(run.steps[i].layer), run.steps[i].pass);
    });
    return order;
}

}  // namespace strata
