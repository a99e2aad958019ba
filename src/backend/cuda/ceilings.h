// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"
#include "device/device.h"

#include <functional>
#include <string>

namespace strata::cuda {

// Measures what the device of a machine reaches at most, in the form of device/device.h:
//
//   f32, tf32, f16, bf16   square products by cuBLASLt: 2 n^3 operations, the best of the
//                          algorithms that its heuristic names
//   L2                     our read, write, copy and triad (kernels/streams.h) of a quarter of it
//   DRAM                   the same of many times the L2
//   launch                 from one kernel that does nothing to the next, recorded and repeated
//
// Each is the best sample of the best kernel, because disturbances only slow down; the source names
// date, kernel, how far the median lay below, and what the others reached. Bandwidth counts what is
// read and written. What a library refuses is left out. `progress` hears what is measured next.
// Throws DeviceError where the device cannot go on.
Device measure_ceilings(Machine& machine, const std::function<void(const std::string&)>& progress);

}  // namespace strata::cuda
