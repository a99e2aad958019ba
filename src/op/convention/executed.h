// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"

namespace strata {

// Layers as they were measured, for Convention::special. All leave the other passes alone, and
// operators other than convolutions, fully connected layers and poolings.

// 2 Mp Np Kp + 2 Mp Np in tiles of 128x64x4 and the bias; gemv and bias; 1 for each pooled output.
bool executed_gemm(const Op& op, const Signature& signature, Pass pass, Flops& flops);

// The same with rows in tiles of 64 and 1 for each output that exists: 2 Mp Np Kp + M N, and the
// bias.
bool executed_gemm_64(const Op& op, const Signature& signature, Pass pass, Flops& flops);

// 2 Mp Np Kp + Mp Np in tiles of 128x128 of fully connected layers, matrix products, and the steps
// of recurrent cells, whose gates are one product of input and state. Forward and alike each
// gradient; nothing beside the products, so that bias and gates are left to other kernels.
bool executed_sgemm(const Op& op, const Signature& signature, Pass pass, Flops& flops);

// F(2x2,3x3) with its filter transform and the bias where it applies, else as executed_gemm.
bool executed_winograd(const Op& op, const Signature& signature, Pass pass, Flops& flops);

}  // namespace strata
