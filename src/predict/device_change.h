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
// between the starts of two kernels, which a description does not have. Rates fitted to the device
// follow: latencies its clock, the reached bandwidths the stated ones.
using DeviceChanges = std::vector<std::string>;

// What a change sets the named property to; nothing if it changes another property.
std::optional<std::string_view> value_for(std::string_view name, std::string_view change);

// A factor or a time. Throws Error for anything else.
using LaunchChange = std::variant<double, Seconds>;
LaunchChange launch_change(std::string_view value);

}  // namespace strata
