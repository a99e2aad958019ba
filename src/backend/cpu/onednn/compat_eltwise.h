// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/compat.h"

// Elementwise functions in which oneDNN 2.6 and 3.x differ.
namespace strata::cpu {

// x max(0, min(1, slope x + offset)): 3.x takes slope and offset, 2.6 has them built in.
#if DNNL_VERSION_MAJOR >= 3
inline constexpr float hard_swish_slope = 1.0F / 6;
inline constexpr float hard_swish_offset = 0.5F;
#else
inline constexpr float hard_swish_slope = 0;
inline constexpr float hard_swish_offset = 0;
#endif

}  // namespace strata::cpu
