// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"

#include <optional>
#include <span>
#include <vector>

namespace strata {

// A matrix product, M x K times K x N, `copies` times over.
struct Product {
    double m = 0;
    double n = 0;
    double k = 0;
    double copies = 1;

    double outputs() const { return copies * m * n; }
};

// Rows and columns of a kernel's block and its step along K.
struct Tile {
    double m = 0;
    double n = 0;
    double k = 0;
};

inline constexpr Tile tile_128x128 = {128, 128, 1};
inline constexpr Tile tile_128x64 = {128, 64, 4};
inline constexpr Tile tile_64x64 = {64, 64, 4};

double rounded_up(double value, double multiple);

// Operations of a product whose extents are padded to whole tiles, plus `each_output` for each
// padded output: 2 Mp Np Kp + e Mp Np.
double operations_in_tiles(const Product& product, const Tile& tile, double each_output);

// A convolution as the implicit product of its patches with its filters, by group, or a fully
// connected layer; nothing for other operators.
std::optional<Product> implicit_product(const Op& op, const Signature& signature);

// The matrix products of the forward pass of a fully connected layer, a matrix product, or the
// steps of a recurrent cell, whose gates are one product of input and state. None for other
// operators.
std::vector<Product> library_products(const Op& op, const Signature& signature);

// Operations that kernels of cuDNN 6 and cuBLAS 8 execute, as a counter (nvprof's flop_count_sp)
// sees them: tiles are padded, and the padding is computed too. The counts agree to the digit with
// Levinthal's measurements on a Tesla P4 (images of batch 1, forward).

// One of the kernels of a layer's forward pass.
struct ExecutedKernel {
    std::string_view name;
    std::string_view meaning;
    // Nothing if the layer does not launch it.
    std::optional<double> (*count)(const Op& op, const Signature& signature);
};

// By name:
//   gemm-128x64        2 Mp Np Kp + Mp Np; M = N Ho Wo up to a multiple of 128, N = Cout of 64,
//                      K = Cin K^2 of 4
//   gemm-128x64-split  the same with 6 for each padded output: the sum is split into parts
//   winograd-tile      F(2x2,3x3): 32 T C K + 160 T C ceil(K/128) + 38 T K; T the tiles of 2x2
//                      outputs, up to a multiple of 64
//   winograd-filter    the filter transform: 58 C K
//   gemv               a fully connected layer of one image: out (2 in + 5 in / 128 + 3)
//   bias               1 for each output of a layer with a bias
//   pooling            1 for each output
// Throws Error, naming it, if there is no such kernel.
const ExecutedKernel& find_executed_kernel(std::string_view name);

// The counts of measured layers, for Convention::special. They do not override other passes, nor
// operators other than convolutions, fully connected layers and poolings.

// 2 Mp Np Kp + 2 Mp Np in tiles of 128x64x4 and the bias; gemv and bias; 1 for each pooled output.
bool executed_gemm(const Op& op, const Signature& signature, Pass pass, Flops& flops);

// The same with rows in tiles of 64 and 1 for each unpadded output: 2 Mp Np Kp + M N, and the
// bias.
bool executed_gemm_64(const Op& op, const Signature& signature, Pass pass, Flops& flops);

// 2 Mp Np Kp + Mp Np in tiles of 128x128 of fully connected layers, matrix products, and the steps
// of recurrent cells, whose gates are one product of input and state. The same forward and for each
// gradient; only the products, because other kernels do bias and gates.
bool executed_sgemm(const Op& op, const Signature& signature, Pass pass, Flops& flops);

// F(2x2,3x3) with its filter transform and the bias if it applies, else as executed_gemm.
bool executed_winograd(const Op& op, const Signature& signature, Pass pass, Flops& flops);

}  // namespace strata
