// SPDX-License-Identifier: MIT
#pragma once

#include "measure/ratio.h"
#include "record/run.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// What an instrument adds to an iteration: the same processes' iterations with it and without.
struct InstrumentCost {
    std::string instrument;           // "time stamps between the steps"
    std::optional<Estimate> without;  // end to end
    std::optional<Estimate> with;
    std::optional<Ratio> ratio;  // with over without; nothing where one of them was not measured
};

// One for each instrument that the runs used, from the lightest on; `of_steps` is what timed their
// steps. Samples with and without it were taken in turn in each process, so the ratio is that of
// each process, and its interval tells how processes differ; of a single process, how its samples
// do. Requires: runs of one job, at least one.
std::vector<InstrumentCost> instrument_costs(std::span<const Run> runs,
                                             const std::string& of_steps);

// That of an instrument that records whole processes, such as a framework's own profiler: whole
// iterations of runs with it over those of runs without. Where they took turns, the n-th of both
// are compared. Requires: neither is empty.
InstrumentCost instrument_cost(const std::string& instrument, std::span<const Run> without,
                               std::span<const Run> with);

}  // namespace strata
