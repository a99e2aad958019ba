// SPDX-License-Identifier: MIT
#pragma once

#include "measure/device_state.h"
#include "measure/diagnose.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace strata {

// Looks for trouble in the states that a device reported during sampling:
//
//   throttled      something other than idleness or a setting held the clock down in at least a
//                  twentieth of the states, and in two of them or in all
//   clock-drift    the highest and the lowest core clock are more than 3 % apart
//   shared-device  other processes computed on the device
//
// A quantity that no state reports raises no doubt.
std::vector<Doubt> diagnose_device(std::span<const DeviceState> states);

// The ranges of the reported values, for a run's provenance; a value never reported has no key.
//
//   gpu.sampled.core_clock    1695 to 1980 MHz     gpu.sampled.temperature  45 to 61 C
//   gpu.sampled.memory_clock  3201 MHz             gpu.sampled.states       12
//   gpu.sampled.power         612 to 698 W
//   gpu.sampled.limits        the power limit (3 of 12)
std::map<std::string, std::string> describe_states(std::span<const DeviceState> states);

}  // namespace strata
