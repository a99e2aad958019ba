// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"

#include <optional>
#include <span>

namespace strata {

// Operations that kernels of cuDNN 6 and cuBLAS 8 execute, as a counter (nvprof's flop_count_sp)
// sees them: tiles are filled up with work on nothing. The identities hold to the digit for what
// Levinthal measured on a Tesla P4 (images of batch 1, forward).

// One kernel, of those that a layer's forward pass consists of.
struct ExecutedKernel {
    std::string_view name;
    std::string_view meaning;
    // Nothing for a layer that does not launch it.
    std::optional<double> (*count)(const Op& op, const Signature& signature);
};

// THE list:
//   gemm-128x64        2 Mp Np Kp + Mp Np; M = N Ho Wo up to a multiple of 128, N = Cout of 64,
//                      K = Cin K^2 of 4
//   gemm-128x64-split  the same with 6 for each padded output: the sum is made in parts
//   winograd-tile      F(2x2,3x3): 32 T C K + 160 T C ceil(K/128) + 38 T K; T the tiles of 2x2
//                      outputs, up to a multiple of 64
//   winograd-filter    the transform of its filters: 58 C K
//   gemv               a fully connected layer of one image: out (2 in + 5 in / 128 + 3)
//   bias               1 for each output of a layer with a bias
//   pooling            1 for each output
std::span<const ExecutedKernel> executed_kernels();

// Throws Error that names it where there is none.
const ExecutedKernel& find_executed_kernel(std::string_view name);

}  // namespace strata
