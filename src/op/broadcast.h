// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

namespace strata {

// The common shape of several, as NumPy broadcasts: aligned at the last axis, an extent of 1
// stretches. `type` names the operator in the Error thrown where they do not fit.
Dims broadcast(std::string_view type, std::span<const Dims> shapes);

}  // namespace strata
