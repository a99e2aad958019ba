// SPDX-License-Identifier: MIT
#pragma once

#include "import/recording.h"

#include <cstdint>
#include <string>
#include <vector>

namespace strata {

// The index of the device, which is added if it is new: number and process identify a device.
// Throws Error for more than 256 devices.
std::uint32_t device_place(std::vector<RecordedDevice>& devices, RecordedDevice device);

// "device 1 of process 4711, NVIDIA H200", as far as known.
std::string label_of(const RecordedDevice& device);

// A separate recording for each device, in the file's order: the operators that launched work on
// it, with the time of that work. One recording if there is at most one device. Each keeps the
// ledger of the whole file.
std::vector<RecordedProfile> by_device(RecordedProfile recording);

}  // namespace strata
