// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/method.h"
#include "backend/cpu/convolution/winograd_filters.h"
#include "backend/cpu/convolution/winograd_tiles.h"
#include "backend/cpu/kernels/small_gemm.h"

// Winograd's convolutions F(m x m, r x r): images are cut into overlapping tiles of m + r - 1
// elements a side, transformed, multiplied by the transformed filters in a product of matrices for
// each of a tile's elements, and transformed back (Lavin and Gray, 2015, arXiv 1509.09308).
namespace strata::cpu::winograd {

// The arithmetic kernels of a run; a test replaces them with counting ones.
struct WinogradKernels {
    std::string_view isa;
    const WinogradTable* wide = nullptr;    // for channels in groups of 16
    const WinogradTable* narrow = nullptr;  // for channels in groups of 8
    decltype(&small_gemm) product = nullptr;
    decltype(&gemm_by_panel) panel_product = nullptr;
    void (*add)(const float* values, std::size_t count, float* sums) = nullptr;
    Bytes cache = {};  // private to a processor: the level-2 cache
};

WinogradKernels winograd_kernels();

// A problem that Winograd's method can do, in a form that suits it. The backward-data pass is a
// forward pass from y's gradient with the filters rotated by 180 degrees, and input and output
// channels exchanged.
struct WinogradProblem {
    WinogradTile tile = WinogradTile::f4x4_3x3;
    Pass pass = Pass::forward;
    std::size_t m = 0;
    std::size_t r = 0;
    std::size_t size = 0;  // m + r - 1
    OperandOrders orders;
    ImageLayout x;
    ImageLayout y;
    FilterLayout filters;
    std::int64_t pad_top = 0;
    std::int64_t pad_left = 0;
    std::size_t images = 0;
    bool bias = false;
    bool sum = false;
    bool relu = false;
    bool keeps_filters = false;  // transformed once, not in every run
    int threads = 1;

    std::size_t points() const { return size * size; }
};

// Below it, tiles are mostly padding, and direct convolution is faster (13 to 110 against 300
// GFLOP/s in the first layer of VGG-16, AVX-512).
inline constexpr std::int64_t min_channels = 16;

// Throws Refusal if the method cannot do the problem, or if a group has too few channels.
std::unique_ptr<PreparedConvolution> prepare_winograd(WinogradTile tile,
                                                      const ConvolutionProblem& problem,
                                                      const OperandOrders& preferred,
                                                      const WinogradKernels& kernels);

template <WinogradTile tile>
std::unique_ptr<PreparedConvolution> prepare_winograd(const ConvolutionProblem& problem,
                                                      const OperandOrders& preferred) {
    return prepare_winograd(tile, problem, preferred, winograd_kernels());
}

// Both kinds of pass, each in its own file.
std::unique_ptr<PreparedConvolution> prepare_winograd_images(const WinogradProblem& problem,
                                                             const WinogradKernels& kernels);
std::unique_ptr<PreparedConvolution> prepare_winograd_weights(const WinogradProblem& problem,
                                                              const WinogradKernels& kernels);

// Shared by both.

// The depth of a product whose right matrix stays in the L1 cache while the rows of the left one
// pass: 32 KB with 64 columns.
inline constexpr std::size_t block_depth = 128;

std::string winograd_name(WinogradTile tile);
WinogradCosts winograd_costs(WinogradTile tile);
// The sum of a tile of y's gradient as a multiple of its transform at the point 1, 1.
double tile_sum_factor(WinogradTile tile);
Operations operations_of(const TransformCost& cost, double times);
const WinogradCodelets& codelets_for(const WinogradKernels& kernels, WinogradTile tile,
                                     const ImageLayout& layout);

}  // namespace strata::cpu::winograd
