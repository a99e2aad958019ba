// SPDX-License-Identifier: MIT
#pragma once

#include "measure/ratio.h"
#include "record/run.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// The overhead of an instrument: the same processes' iterations with and without it.
struct InstrumentCost {
    std::string instrument;           // "time stamps between the steps"
    std::optional<Estimate> without;  // end to end
    std::optional<Estimate> with;
    std::optional<Ratio> ratio;  // with over without; nothing if one was not measured
};

// One for each instrument that the runs used, lightest first; `of_steps` is the one that timed
// their steps. Each process alternated samples with and without it, so there is a ratio per
// process, and its interval is their spread; for a single process, that of its samples. Requires:
// runs of one job, at least one.
std::vector<InstrumentCost> instrument_costs(std::span<const Run> runs,
                                             const std::string& of_steps);

// The cost of an instrument that records whole processes, such as a framework's own profiler:
// iterations of runs with it over those of runs without. If the runs alternated, the n-th of both
// are compared. Requires: neither is empty.
InstrumentCost instrument_cost(const std::string& instrument, std::span<const Run> without,
                               std::span<const Run> with);

}  // namespace strata
