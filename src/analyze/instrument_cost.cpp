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

InstrumentCost cost_of(const std::string& instrument, const Launches& without,
                       const Launches& with) {
    InstrumentCost cost{.instrument = instrument, .without = {}, .with = {}, .ratio = {}};
    if (!without.samples.empty()) {
        cost.without = estimate(without);
    }
    if (!with.samples.empty()) {
        cost.with = estimate(with);
    }
    if (cost.without && cost.with && is_positive(with) && is_positive(without)) {
        // (The members of a pair are from one process, or from neighbouring ones.)
        const bool are_pairs =
            with.samples.size() == without.samples.size() && with.samples.size() > 1;
        cost.ratio = are_pairs ? ratio_of_pairs(without, with) : ratio_of_medians(without, with);
    }
    return cost;
}

}  // namespace

std::vector<InstrumentCost> instrument_costs(Runs runs, const std::string& of_steps) {
    check(!runs.empty(), "the cost of instruments needs runs");
    const Launches without = launches_of(runs, end_to_end);
    std::vector<InstrumentCost> costs = {
        cost_of(of_steps, without, launches_of(runs, [](const Run& run) -> const Samples* {
                    return &run.whole.instrumented;
                }))};
    if (runs.front().trace) {
        costs.push_back(cost_of("kernels recorded", without, launches_of(runs, [](const Run& run) {
                                    return run.trace ? &run.trace->recorded : nullptr;
                                })));
    }
    return costs;
}

InstrumentCost instrument_cost(const std::string& instrument, Runs without, Runs with) {
    check(!without.empty() && !with.empty(), "the cost of an instrument needs runs");
    return cost_of(instrument, launches_of(without, end_to_end), launches_of(with, end_to_end));
}

}  // namespace strata
