// SPDX-License-Identifier: MIT
#pragma once

#include "predict/gemm.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace strata {

enum class ConvolutionPass { forward, backward_data, backward_weights };
inline constexpr std::array<std::string_view, 3> names_of(ConvolutionPass) {
    return {"forward", "backward_data", "backward_weights"};
}

// A convolution of images n x c x h x w with k filters c x r x s, and the pass whose time is asked.
struct ConvolutionProblem {
    std::int64_t n = 1, c = 1, h = 1, w = 1;
    std::int64_t k = 1, r = 1, s = 1;
    std::int64_t pad_h = 0, pad_w = 0;
    std::int64_t stride_h = 1, stride_w = 1;
    std::int64_t dilation_h = 1, dilation_w = 1;
    std::int64_t groups = 1;
    ConvolutionPass pass = ConvolutionPass::forward;
    Arithmetic arithmetic = Arithmetic::f32;
    double element_bytes = 4;

    // Extents of the result; zero or less where the filter exceeds the padded image.
    std::int64_t result_h() const;
    std::int64_t result_w() const;
    // What a plain loop computes, the same in every pass.
    Flops flops() const;
    // Images, results and filters, each moved once.
    Bytes traffic() const;
};

// Channels and filters of a group come in so many for matrix units.
inline constexpr std::int64_t channels_of_matrix_units = 8;

// How a library computes a convolution.
enum class LibraryAlgorithm {
    implicit_gemm,     // one product whose operand is gathered from the images as it is read
    precomputed_gemm,  // the same with the offsets computed before
    explicit_gemm,     // the operand is written to memory first (im2col)
    fused_winograd,    // F(2x2, 3x3), all transforms in one kernel
    winograd_3x3,      // F(4x4, 3x3), transforms and 36 products in kernels of their own
    winograd_5x5,      // F(4x4, 5x5), the same with 64
    fft,               // of whole images
    tiled_fft,         // of tiles of 32 x 32
    direct,            // plain loops, where there are few channels
};
inline constexpr std::array<std::string_view, 9> names_of(LibraryAlgorithm) {
    return {"implicit GEMM", "precomputed implicit GEMM",
            "explicit GEMM", "fused Winograd",
            "Winograd 3x3",  "Winograd 5x5",
            "FFT",           "tiled FFT",
            "direct"};
}

// An algorithm with the tiles of its products. Where a table tells only part of it, the rest is
// zero and the planner's to choose.
struct ConvolutionKernel {
    LibraryAlgorithm algorithm = LibraryAlgorithm::implicit_gemm;
    int tile_m = 0, tile_n = 0;  // of the products
    int splits = 0;
    int block_images = 0, block_rows = 0, block_columns = 0;  // of fused Winograd, in its tiles
};

// The algorithm as cuDNN calls it ("WINOGRAD_NONFUSED"), or as the names of its kernels joined by +
// tell ("generatewinogradtileskernel+..."), with what these say about tiles; nothing if they tell
// no algorithm.
std::optional<ConvolutionKernel> convolution_kernel_named(std::string_view name,
                                                          std::int64_t filter_height);

// What convolutions of one pass reach on a device. Those without a unit are relative to its
// description, so that they mean the same on another device. Each is positive; a fit moves them,
// except the library.
struct ConvolutionRates {
    double library = 7;  // cuDNN's first number, which decides the algorithms there are
    Seconds launch{11e-6};
    double overlap = 3;            // the exponent that joins the bounds
    double l2 = 1;                 // of the bandwidth that `prior_gemm_rates` assumes
    double dram_efficiency = 0.8;  // of the stated bandwidth
    double half_saturation = 1.2;  // warps with which half of the efficiency is lost
    double ramp = 20;              // of a block: multiply-adds along the sum that its start costs
    double winograd_ramp = 40;     // the same of fused Winograd, with its transforms
    double tile_128x128 = 0.9;     // efficiencies, of the fp32 peak, by the products' tile
    double tile_128x64 = 0.83;
    double tile_128x32 = 0.73;
    double tile_64x64 = 0.5;
    double fused_winograd = 0.9;     // efficiency of its multiply-adds
    double batched_products = 0.85;  // of Winograd's products, beside one product's
    double transforms = 0.7;         // of the stated bandwidth, that images' transforms reach
    double filter_transforms = 0.4;  // the same of filters'
    Seconds transform_launches{18e-6};
    double pointwise = 0.9;         // efficiency of 1 x 1 filters beside others
    double few_channels = 1;        // of fewer than eight channels beside more
    double strided = 1.45;          // slowdown of backward-data with stride, 1 x 1
    double scattered = 3.5;         // its passes over the images' gradient
    double direct = 0.17;           // efficiency
    double fft = 0.5;               // efficiency
    Seconds split{8e-6};            // adding the sums of splits
    double split_efficiency = 0.8;  // of the stated bandwidth, in adding them
    double latency = 1;             // so many times the usual one; no fit moves it
};

// Rates before anything is measured: typical ones of Pascal boards, and what generations before and
// after them reach beside those (both fitted to DeepBench's boards, see
// docs/prediction-accuracy.md).
ConvolutionRates prior_convolution_rates(const DeviceDescription& device, ConvolutionPass pass);

// These rates as another library reaches them: before cuDNN 6 blocks of filters' gradients started
// slowly, and read memory at less of its bandwidth (as DeepBench's boards show).
ConvolutionRates with_library(ConvolutionRates rates, ConvolutionPass pass, double library);

// These rates with the efficiencies that a device reaches `generations` later, each of which gains
// so much. What they reach after Volta is not known to gain further: count no more than to there.
ConvolutionRates later(ConvolutionRates rates, double generations, double gain);

// The place of a device's architecture in the sequence of its maker's: 0 Maxwell, 1 Pascal, 2 Volta
// and Turing, 3 Ampere and Ada, 4 Hopper, 5 Blackwell; 1 of other makers'.
double generation_of(const DeviceDescription& device);
inline constexpr double last_gaining_generation = 2;

// A prediction with the terms that it is made of.
struct ConvolutionPrediction {
    Seconds time = {};
    ConvolutionKernel kernel = {};
    Bytes workspace = {};
    Seconds launch = {};
    Seconds arithmetic = {};  // of the busiest processor, in rounds of resident blocks
    Seconds latency = {};     // of the blocks' steps, if nothing hides them
    Seconds l2 = {};
    Seconds dram = {};
    Seconds transforms = {};  // of images, filters and results, with their launches
    Seconds split = {};       // adding partial sums; clearing and scattering of strided gradients
    Flops flops = {};         // of the products, with what pads their tiles
    Bytes l2_traffic = {};    // of the products
    Bytes dram_traffic = {};  // of everything
};

// The time of a convolution by a kernel that is told whole:
//
//   time = launch + (max(arithmetic, latency)^p + l2^p + dram^p)^(1/p) + transforms + split
//
// of these products (rows x columns x sum), whose tiles run in waves as in predict/gemm.h:
//
//   GEMM, forward           n P Q   x k x c r s
//   GEMM, backward-data     n h w / (u v) x c x k r s / (u v), u v of them, with strides u and v
//   GEMM, backward-weights  c r s   x k x n P Q, split along the sum
//   F(m x m, r x r)         tiles   x k x c, (m + r - 1)^2 of them (Lavin and Gray, CVPR 2016);
//                           fused F(2 x 2, 3 x 3) runs blocks of 32 tiles x 32 filters
//   FFT                     tiles   x k x c, complex, one for each frequency (Mathieu et al., 2014)
//
// Products of 16-bit numbers run on matrix units where the device has any and channels and filters
// are multiples of eight, as cuDNN asks, otherwise padded to eight on the lanes of fp32. Requires:
// the device has processors, lanes, a clock and a memory; the result is not empty.
ConvolutionPrediction predict_kernel(const ConvolutionProblem& problem,
                                     const ConvolutionKernel& kernel,
                                     const DeviceDescription& device,
                                     const ConvolutionRates& rates);

// The kernels that the library has for this problem, each told whole, among those that agree with
// what is pinned. Never empty: an algorithm that the library does not have is not pinned.
std::vector<ConvolutionKernel> candidate_kernels(
    const ConvolutionProblem& problem, double library,
    const std::optional<ConvolutionKernel>& pinned = {});

// The prediction of the candidate that takes the shortest time. Requires: a candidate.
ConvolutionPrediction predict_fastest(const ConvolutionProblem& problem,
                                      std::span<const ConvolutionKernel> candidates,
                                      const DeviceDescription& device,
                                      const ConvolutionRates& rates);

// The prediction of the fastest kernel that the library has, or that is pinned.
ConvolutionPrediction predict_convolution(const ConvolutionProblem& problem,
                                          const DeviceDescription& device,
                                          const ConvolutionRates& rates,
                                          const std::optional<ConvolutionKernel>& pinned = {});

}  // namespace strata
