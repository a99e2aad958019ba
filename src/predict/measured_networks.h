// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "device/description.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A whole network that was both measured and predicted.
struct MeasuredNetwork {
    std::string machine;  // its device, or the table that it is in
    DeviceKind kind = DeviceKind::cpu;
    Seconds measured;
    Seconds predicted;
    double layer_error = 0;  // the mean of its layers' |predicted / measured - 1|; 0: not known
};

// A table as `tools/run_accuracy --csv` and `tools/published_networks` write it, with the columns
// measured_ms and predicted_ms, and device unless all ran on one CPU; nothing if a text has not
// these columns. Throws Error that names the line for a time that is not positive or a device that
// is not described.
std::optional<std::vector<MeasuredNetwork>> read_measured_networks(std::string_view csv,
                                                                   std::string_view origin);

}  // namespace strata
