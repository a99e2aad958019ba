// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <string>
#include <variant>
#include <vector>

namespace strata {

// All samples of one quantity, in the order they were taken.
struct Samples {
    std::vector<Seconds> values;
    // For each, whether other programs delayed it (measure/waits.h). Empty: not observed.
    std::vector<bool> disturbed = {};
};

// It could not run here, and why: "lrn: within-channel mode is not in onednn".
struct Skipped {
    std::string reason;
};

// It ran and failed, and how: "differs from the reference by 3.1e-2 (tolerance 1e-4)".
struct Failed {
    std::string reason;
};

// It was done in one operation with another step, whose time includes it: "conv1 forward".
struct Included {
    std::string step;
};

// It has no work: its result is its input under another name. Its time would be that of the time
// stamp.
struct NoOp {};

// The outcome of a measurement. The inability to run is a result too, like a time.
using Measurement = std::variant<Samples, Skipped, Failed, Included, NoOp>;

}  // namespace strata
