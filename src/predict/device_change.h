// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace strata {

// Changes to a device: "dram_bandwidth=2x", "sms=200", and "launch=3us" or "launch=0.5x", the time
// from one kernel's begin to the next one's, which a description does not have. Rates that were
// fitted to the device follow: latencies its clock, the reached bandwidths the stated ones.
using DeviceChanges = std::vector<std::string>;

// What a change sets the named property to; nothing where it changes another.
std::optional<std::string_view> value_for(std::string_view name, std::string_view change);

// So many times as long, or so long. Throws Error for anything else.
using LaunchChange = std::variant<double, Seconds>;
LaunchChange launch_change(std::string_view value);

}  // namespace strata
