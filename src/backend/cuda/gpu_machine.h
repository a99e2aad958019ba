// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"

namespace strata::cuda {

// The current CUDA device. Throws DeviceError if there is none, or no driver, or the driver is too
// old.
std::shared_ptr<Machine> open_gpu();

}  // namespace strata::cuda
