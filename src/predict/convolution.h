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

// A convolution of images n x c x h x w with k filters c x r x s, and the pass to predict.
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

    // Extents of the result; zero or less if the filter is larger than the padded image.
    std::int64_t result_h() const;
    std::int64_t result_w() const;
    // Whether each channel is a group. Frameworks have their own loops for these, in every pass.
    bool is_depthwise() const { return groups > 1 && groups == c; }
    // The operations of a plain loop; every pass has the same number.
    Flops flops() const;
    // Images, results and filters, each moved once.
    Bytes traffic() const;
};

// Matrix units need the channels and filters of a group in multiples of this.
inline constexpr std::int64_t channels_of_matrix_units = 8;
// The first cuDNN that pads them to it on chip, and whose matrix units compute nothing but
// products.
inline constexpr double padding_library = 8;

// How a library computes a convolution.
enum class LibraryAlgorithm {
    implicit_gemm,     // one product whose operand is gathered from the images as it is read
    precomputed_gemm,  // the same with precomputed offsets
    explicit_gemm,     // the operand is written to memory first (im2col)
    fused_winograd,    // F(2x2, 3x3), all transforms in one kernel
    winograd_3x3,      // F(4x4, 3x3), separate kernels for transforms and 36 products
    winograd_5x5,      // F(4x4, 5x5), the same with 64 products
    fft,               // of whole images
    tiled_fft,         // of tiles of 32 x 32
    direct,            // plain loops, for few channels
};
inline constexpr std::array<std::string_view, 9> names_of(LibraryAlgorithm) {
    return {"implicit GEMM", "precomputed implicit GEMM",
            "explicit GEMM", "fused Winograd",
            "Winograd 3x3",  "Winograd 5x5",
            "FFT",           "tiled FFT",
            "direct"};
}

// An algorithm and the tiles of its products. What a table does not say is zero; the planner
// chooses it.
struct ConvolutionKernel {
    LibraryAlgorithm algorithm = LibraryAlgorithm::implicit_gemm;
    int tile_m = 0, tile_n = 0;  // of the products
    int splits = 0;
    int block_images = 0, block_rows = 0, block_columns = 0;  // of fused Winograd, in tiles
};

// The algorithm, with the stated tiles, from cuDNN's name ("WINOGRAD_NONFUSED") or from its
// kernels' names joined by + ("generatewinogradtileskernel+..."); nothing if they do not determine
// it.
std::optional<ConvolutionKernel> convolution_kernel_named(std::string_view name,
                                                          std::int64_t filter_height);

// What convolutions of one pass reach on a device. Numbers without a unit are relative to its
// description, so they mean the same on another device. Each is positive; a fit moves all but the
// library.
struct ConvolutionRates {
    double library = 7;     // cuDNN's major version, which determines the available algorithms
    Seconds launch{11e-6};  // by the host, of which a queued kernel does not wait
    // On the device, of every kernel: its start and its end. Only fitted where the launches of the
    // measured rows took no host time; elsewhere it is part of `launch`, and this is as good as 0.
    Seconds start{1e-12};
    double overlap = 3;            // the exponent that combines the bounds
    double l2 = 1;                 // of the bandwidth that `prior_gemm_rates` assumes
    double dram_efficiency = 0.8;  // of the stated bandwidth
    double half_saturation = 1.2;  // warps at which half of the efficiency is lost
    double ramp = 20;              // multiply-adds along the sum that a block's start costs
    double winograd_ramp = 40;     // the same for fused Winograd, with its transforms
    double tile_128x128 = 0.9;     // efficiencies relative to the fp32 peak, by tile
    double tile_128x64 = 0.83;
    double tile_128x32 = 0.73;
    double tile_64x64 = 0.5;
    double fused_winograd = 0.9;     // efficiency of the multiply-adds
    double batched_products = 0.85;  // of Winograd's products, relative to one product
    double transforms = 0.7;         // of images: share of the stated bandwidth
    double filter_transforms = 0.4;  // the same for filters
    Seconds transform_launches{18e-6};
    double pointwise = 0.9;  // efficiency of 1 x 1 filters relative to others
    // Of fewer than eight channels relative to more; in matrix units, if they are as wide as an
    // H100's in 16 bits.
    double few_channels = 1;
    double strided = 1.45;          // slowdown of strided 1 x 1 backward-data
    double scattered = 3.5;         // with any stride, before cuDNN 8: passes over the gradient
    double direct = 0.17;           // efficiency
    double depthwise = 0.17;        // the same where each channel is a group
    double fft = 0.5;               // efficiency
    Seconds split{8e-6};            // to add the sums of splits
    double split_efficiency = 0.8;  // of the stated bandwidth, for adding them
    double latency = 1;             // factor on the usual one; no fit moves it
    double fed = 1;                 // the same of what narrow loads feed
};

// Rates before any measurement: typical ones of Pascal boards, and how earlier and later
// generations compare (both fitted to DeepBench's boards, see docs/prediction-accuracy.md).
ConvolutionRates prior_convolution_rates(const DeviceDescription& device, ConvolutionPass pass);

// These rates with another library: before cuDNN 6, blocks of filter gradients started slowly and
// reached less of the memory's bandwidth (shown by DeepBench's boards).
ConvolutionRates with_library(ConvolutionRates rates, ConvolutionPass pass, double library);

// These rates with the efficiencies of a device `generations` later, if each generation gains
// `gain`. Gains after Volta are not known, so count generations only up to Volta.
ConvolutionRates later(ConvolutionRates rates, double generations, double gain);

// The place of a device's architecture in its maker's sequence: 0 Maxwell, 1 Pascal, 2 Volta and
// Turing, 3 Ampere and Ada, 4 Hopper, 5 Blackwell; 1 for other makers.
double generation_of(const DeviceDescription& device);
inline constexpr double last_gaining_generation = 2;

// A prediction and its terms.
struct ConvolutionPrediction {
    Seconds time = {};
    ConvolutionKernel kernel = {};
    Bytes workspace = {};
    Seconds launch = {};
    Seconds arithmetic = {};  // of the busiest processor, in waves of resident blocks
    Seconds latency = {};     // of the blocks' steps, if nothing hides it, and the kernel's start
    Seconds l2 = {};
    Seconds dram = {};
    Seconds transforms = {};  // of images, filters and results, with their launches
    Seconds split = {};       // adding partial sums; clearing and scattering strided gradients
    Flops flops = {};         // of the products, including padding
    Bytes l2_traffic = {};    // of the products
    Bytes dram_traffic = {};  // of everything
};

// The time of a convolution by a fully specified kernel:
//
//   time = launch + start + (max(arithmetic, latency)^p + l2^p + dram^p)^(1/p) + transforms + split
//
// with these products (rows x columns x sum), whose tiles run in waves as in predict/gemm.h:
//
//   GEMM, forward           n P Q   x k x c r s
//   GEMM, backward-data     n h w / (u v) x c x k r s / (u v), u v of them, with strides u and v
//   GEMM, backward-weights  c r s   x k x n P Q, split along the sum
//   F(m x m, r x r)         tiles   x k x c, (m + r - 1)^2 of them (Lavin and Gray, CVPR 2016);
//                           fused F(2 x 2, 3 x 3) runs blocks of 32 tiles x 32 filters
//   FFT                     tiles   x k x c, complex, one for each frequency (Mathieu et al., 2014)
//
// Products of 16-bit numbers run on matrix units if the device has them and channels and filters
// are multiples of eight, as cuDNN 7 requires. Otherwise they are padded to eight and run on the
// fp32 lanes; since cuDNN 8 they are padded on chip and run on matrix units. Requires: the device
// has processors, lanes, a clock and a memory; the result is not empty.
ConvolutionPrediction predict_kernel(const ConvolutionProblem& problem,
                                     const ConvolutionKernel& kernel,
                                     const DeviceDescription& device,
                                     const ConvolutionRates& rates);

// The tiles of a kernel's products as those of a product.
GemmKernel blocks_of(const ConvolutionKernel& kernel);

// The fully specified kernels that the library has for this problem on the device and that agree
// with the pinned one. Never empty: an algorithm that cannot compute the problem is not pinned.
std::vector<ConvolutionKernel> candidate_kernels(
    const ConvolutionProblem& problem, const DeviceDescription& device, double library,
    const std::optional<ConvolutionKernel>& pinned = {});

// The prediction of the fastest candidate. Requires: a candidate.
ConvolutionPrediction predict_fastest(const ConvolutionProblem& problem,
                                      std::span<const ConvolutionKernel> candidates,
                                      const DeviceDescription& device,
                                      const ConvolutionRates& rates);

// The prediction of the library's fastest kernel, or of the pinned one.
ConvolutionPrediction predict_convolution(const ConvolutionProblem& problem,
                                          const DeviceDescription& device,
                                          const ConvolutionRates& rates,
                                          const std::optional<ConvolutionKernel>& pinned = {});

}  // namespace strata
