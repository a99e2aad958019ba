// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"

#include <vector>

namespace strata::cuda {

// Seconds of one of the things that `enqueue` puts on the machine's stream, sample by sample: so
// many together that a sample takes some milliseconds, after two that load and compile.
std::vector<Seconds> times_of(Machine& machine, const std::function<void()>& enqueue);

}  // namespace strata::cuda
