// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "device/description.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace strata {

// Changes to a device: "dram_bandwidth=2x", "sms=200", and "launch=3us" or "launch=0.5x", the time
// between the starts of two kernels, which a description does not have. Rates fitted to the device
// follow: latencies its clock, the reached bandwidths the stated ones. Others say what runs on it:
// "cudnn=5", "tf32=convolutions", "framework=tensorrt" (predict/framework.h), "products=fp8"
// (predict/quantized.h).
using DeviceChanges = std::vector<std::string>;

// The changes of a stored run (Settings::device_changes), in which several of one number are joined
// by commas.
DeviceChanges changes_in(const std::map<std::string, std::string>& stored);

// What a change sets the named property to; nothing if it changes another property.
std::optional<std::string_view> value_for(std::string_view name, std::string_view change);

// A factor or a time. Throws Error for anything else.
using LaunchChange = std::variant<double, Seconds>;
LaunchChange launch_change(std::string_view value);

// Whether times are predicted of another device than the one that was measured: changes of the time
// between kernels or of the library, by their keys, or a description that differs from the one that
// its rates are of in a number that times follow.
bool is_changed(const DeviceDescription& device,
                const std::map<std::string, std::string>& changes = {});

}  // namespace strata
