// SPDX-License-Identifier: MIT
#pragma once

#include "published/reproduction.h"

namespace strata {

// How much faster several devices train a network than one by the model of data parallelism. All
// predicted times of the device are multiplied so that a step of one device takes the published
// time. Throws Error for an unknown device, links or setting.
double modelled_speedup(const Counted& network, const FromSpeedup& asked);

}  // namespace strata
