// SPDX-License-Identifier: MIT
#include "analyze/instrument_cost.h"

#include "base/error.h"

namespace strata {

namespace {

using Runs = std::span<const Run>;
using SamplesOf = const Samples* (*)(const Run&);

const Samples* end_to_end(const Run& run) {
    return &run.whole.end_to_end;
}

Launches launches_of(Runs runs, SamplesOf samples) {
    Launches launches;
    for (const Run& run : runs) {
        if (const Samples* of_run = samples(run); of_run != nullptr && !of_run->values.empty()) {
            launches.samples.push_back(of_run->values);
        }
    }
    return launches;
}

InstrumentCost cost_of(const char* instrument, Runs runs, SamplesOf samples) {
    const Launches without = launches_of(runs, end_to_end);
    const Launches with = launches_of(runs, samples);
    InstrumentCost cost{.instrument = instrument, .without = {}, .with = {}, .ratio = {}};
    if (!without.samples.empty()) {
        cost.without = estimate(without);
    }
    if (!with.samples.empty()) {
        cost.with = estimate(with);
    }
    if (cost.without && cost.with && with.samples.size() == without.samples.size() &&
        is_positive(with) && is_positive(without)) {
        // Both kinds of samples share what is their process's own.
        cost.ratio = with.samples.size() == 1 ? ratio_of_medians(without, with)
                                              : ratio_of_pairs(without, with);
    }
    return cost;
}

}  // namespace

std::vector<InstrumentCost> instrument_costs(Runs runs) {
    check(!runs.empty(), "the cost of instruments is that of runs");
    std::vector<InstrumentCost> costs = {
        cost_of("time stamps between the steps", runs,
                [](const Run& run) { return &run.whole.instrumented; })};
    if (runs.front().trace) {
        costs.push_back(cost_of("kernels recorded", runs, [](const Run& run) -> const Samples* {
            return run.trace ? &run.trace->recorded : nullptr;
        }));
    }
    return costs;
}

}  // namespace strata
