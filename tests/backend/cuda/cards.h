// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/properties.h"

#include <array>

namespace strata::testing {

// The compute capabilities, times ten, that CUDA 13 supports and cards have.
inline constexpr std::array described_generations = {75, 80, 86, 89, 90, 100, 120};

// A card with one of these.
cuda::DeviceProperties described_card(int compute_capability);

}  // namespace strata::testing
