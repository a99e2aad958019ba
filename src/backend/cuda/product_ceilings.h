// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"
#include "backend/device_watch.h"
#include "device/device.h"

#include <functional>
#include <string>
#include <vector>

namespace strata::cuda {

// The throughput that square products of random normal numbers by cuBLASLt sustain in f32, TF32,
// f16 and bf16: 2 n^3 operations, with the best of the algorithms that its heuristic names, in the
// second half of a second of nothing else. The source gives the clock and power at that time if
// `watch` is not null and knows them. A refused type is left out. `progress` is told what is
// measured next.
std::vector<ComputeCeiling> product_ceilings(
    Machine& machine, DeviceWatch* watch, const std::function<void(const std::string&)>& progress);

}  // namespace strata::cuda
