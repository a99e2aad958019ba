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

// One for each instrument that the runs used, from the lightest on. Samples with and without it
// were taken in turn in each process, so the ratio is that of each process, and its interval tells
// how processes differ; of a single process, how its samples do. Requires: runs of one job, at
// least one.
std::vector<InstrumentCost> instrument_costs(std::span<const Run> runs);

}  // namespace strata
