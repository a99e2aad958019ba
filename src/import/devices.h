// SPDX-License-Identifier: MIT
#pragma once

#include "import/recording.h"

#include <cstdint>
#include <string>
#include <vector>

namespace strata {

// The place of the device among these, which it is added to where it is not there yet: devices are
// the same by number and process. Throws Error for more than 256 of them.
std::uint32_t device_place(std::vector<RecordedDevice>& devices, RecordedDevice device);

// "device 1 of process 4711, NVIDIA H200", as far as it is known.
std::string label_of(const RecordedDevice& device);

// The recording of each device by itself, in the order in which the file names them: the operators
// that launched work on it, with the time of that work. One recording where it has one device or
// none. Each keeps the ledger, which is of the whole file.
std::vector<RecordedProfile> by_device(RecordedProfile recording);

}  // namespace strata
