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
};

// Could not be run here, and why: "lrn: within-channel mode is not in onednn".
struct Skipped {
    std::string reason;
};

// Was run and went wrong, and how: "differs from the reference by 3.1e-2 (tolerance 1e-4)".
struct Failed {
    std::string reason;
};

// Was done in one operation with another step, whose time holds it: "conv1 forward".
struct Included {
    std::string step;
};

// What came of trying to measure something. What could not run is a result like a time.
using Measurement = std::variant<Samples, Skipped, Failed, Included>;

}  // namespace strata
