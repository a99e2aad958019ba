// SPDX-License-Identifier: MIT
#pragma once

#include "backend/algorithms.h"
#include "backend/cuda/device/machine.h"

namespace strata::cuda {

// What cuDNN offers for convolutions: on the device of this file, or, where the name is empty, on
// the one that is there, where each plan is also run. Throws DeviceError, or Error for the file.
std::unique_ptr<AlgorithmSource> make_algorithm_source(const std::string& description);

// The same on any machine; without one nothing is run.
std::unique_ptr<AlgorithmSource> algorithm_source(const DeviceProperties& properties,
                                                  std::shared_ptr<Machine> machine);

}  // namespace strata::cuda
