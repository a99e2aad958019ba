// SPDX-License-Identifier: MIT
#pragma once

#include "tests/backend/cuda/gpu/check.h"

#include <vector>

namespace strata::testing {

// Attention and recurrent layers by cuDNN's whole-layer functions: the device supports them, they
// agree with the reference, and their time compared with the composition of products and kernels.
std::vector<Finding> check_whole_layers();

}  // namespace strata::testing
