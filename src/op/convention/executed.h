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

// Operations of a product whose extents are filled up to whole tiles, and `each_output` for each of
// the outputs filled up: 2 Mp Np Kp + e Mp Np.
double operations_in_tiles(const Product& product, const Tile& tile, double each_output);

// A convolution as the implicit product of its patches with its filters, by group, or a fully
// connected layer; nothing for the others.
std::optional<Product> implicit_product(const Op& op, const Signature& signature);

// The matrix products of a forward pass: those of a fully connected layer, of a matrix product, and
// of the steps of recurrent cells, whose gates are one product of input and state. None for the
// others.
std::vector<Product> library_products(const Op& op, const Signature& signature);

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
