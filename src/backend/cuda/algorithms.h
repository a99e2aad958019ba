// SPDX-License-Identifier: MIT
#pragma once

#include "backend/algorithms.h"
#include "backend/cuda/device/machine.h"

namespace strata::cuda {

// The algorithms that cuDNN offers for convolutions on the device described in the file
// `description`, or, if that is empty, on the current device, where each plan is also run. Throws
// DeviceError, or Error for the file.
std::unique_ptr<AlgorithmSource> make_algorithm_source(const std::string& description);

// The same for any machine; without a machine nothing is run.
std::unique_ptr<AlgorithmSource> algorithm_source(const DeviceProperties& properties,
                                                  std::shared_ptr<Machine> machine);

}  // namespace strata::cuda
