// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"
#include "backend/device_watch.h"
#include "device/device.h"

#include <functional>
#include <string>
#include <vector>

namespace strata::cuda {

// Samples of the time per call of `enqueue`, which puts work on the machine's stream. Each sample
// repeats the work until it takes some milliseconds. Two calls come first: one loads and compiles,
// one estimates the repetitions.
std::vector<Seconds> times_of(Machine& machine, const std::function<void()>& enqueue);

// The median of the second half of a second of this work alone, when clock and temperature have
// settled. `meanwhile` is called at the end, while the machine still works.
Seconds sustained_time_of(Machine& machine, const std::function<void()>& enqueue,
                          const std::function<void()>& meanwhile);

// The throughput of square products of random normal numbers by cuBLASLt in f32, TF32, f16 and
// bf16: 2 n^3 operations, with the best of the algorithms that its heuristic names. The best sample
// of some milliseconds is the ceiling; what the same product sustains in the second half of a
// second is kept beside it, with the clock and power at that time if `watch` is not null and
// reports them. A refused type is left out. `progress` receives what is measured next.
std::vector<ComputeCeiling> product_ceilings(
    Machine& machine, DeviceWatch* watch, const std::function<void(const std::string&)>& progress);

// Measures the ceilings of a machine's device, in the form of device/device.h:
//
//   f32, tf32, f16, bf16   square products of random normal numbers by cuBLASLt: 2 n^3
//                          operations, the best of the algorithms that its heuristic names; and
//                          what that sustains for a second
//   L2                     our read, write, copy and triad (kernels/streams.h) of a quarter of it,
//                          except impossible rates
//   DRAM                   the same with a working set of many times the L2
//   launch                 from one empty kernel to the next, recorded and repeated
//
// Each is the best sample of the best kernel, because disturbances only slow down; its source names
// the date, the kernel, how much lower the median was, and what the others reached. Bandwidth
// counts bytes read and written. A product that a library refuses is left out. A cache's rate is
// impossible, and left out, if it is more than all multiprocessors can load (128 bytes a cycle
// each, 4 for each lane of a warp), or more than four times the best rate of the patterns that
// write: a compiler has then removed loads. The source says so. `watch` may be null. `progress`
// receives the name of what is measured next. Throws DeviceError if the device cannot continue.
Device measure_ceilings(Machine& machine, DeviceWatch* watch,
                        const std::function<void(const std::string&)>& progress);

}  // namespace strata::cuda
