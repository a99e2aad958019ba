// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/method.h"

#include <span>

namespace strata::testing {

// Slow but correct methods under names that users give, for tests of the code around a method:
//   gemm               accepts the operands in any order
//   implicit-gemm      only in plain orders
//   fft                needs 1 MiB of workspace, begins at a page and fills it
//   winograd-2x2-3x3   refuses all but 3x3 windows at stride 1
//   winograd-4x4-3x3   the same, in nhwc with plain filters
std::span<const cpu::ConvolutionMethod> plain_methods();

}  // namespace strata::testing
