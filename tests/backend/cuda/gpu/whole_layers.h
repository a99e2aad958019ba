// SPDX-License-Identifier: MIT
#pragma once

#include "tests/backend/cuda/gpu/check.h"

#include <vector>

namespace strata::testing {

// Attention and recurrent layers by what cuDNN has for a whole layer: that the device takes it,
// that it agrees with the reference, and its time beside that of the same composed of products and
// kernels.
std::vector<Finding> check_whole_layers();

}  // namespace strata::testing
