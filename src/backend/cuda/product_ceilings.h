// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"
#include "device/device.h"

#include <functional>
#include <string>
#include <vector>

namespace strata::cuda {

// The throughput that square products by cuBLASLt reach in f32, TF32, f16 and bf16: 2 n^3
// operations, with the best of the algorithms that its heuristic names. A refused type is left out.
// `progress` is told what is measured next.
std::vector<ComputeCeiling> product_ceilings(
    Machine& machine, const std::function<void(const std::string&)>& progress);

}  // namespace strata::cuda
