// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"
#include "backend/device_watch.h"
#include "device/device.h"

#include <functional>
#include <string>

namespace strata::cuda {

// Measures the ceilings of a machine's device, in the form of device/device.h:
//
//   f32, tf32, f16, bf16   square products of random normal numbers by cuBLASLt: 2 n^3
//                          operations, the best of the algorithms that its heuristic names,
//                          sustained for a second; the source names clock and power
//   L2                     our read, write, copy and triad (kernels/streams.h) of a quarter of it
//   DRAM                   the same with a working set of many times the L2
//   launch                 from one empty kernel to the next, recorded and repeated
//
// Each of the other ceilings is the best sample of the best kernel, because disturbances only slow
// down; its source names the date, the kernel, how far below the median was, and what the others
// reached. Bandwidth counts bytes read and written. What a library refuses is left out. `watch` may
// be null. `progress` is told what is measured next. Throws DeviceError if the device cannot
// continue.
Device measure_ceilings(Machine& machine, DeviceWatch* watch,
                        const std::function<void(const std::string&)>& progress);

}  // namespace strata::cuda
