// SPDX-License-Identifier: MIT
// The kernels that a library has for a convolution, by problem and by name, and what they reach
// before any measurement.
#include "base/error.h"
#include "base/text.h"
#include "predict/convolution.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

using Algorithm = LibraryAlgorithm;

struct ProductTile {
    int m, n;
};
constexpr std::array product_tiles = {ProductTile{128, 128}, ProductTile{128, 64},
                                      ProductTile{128, 32}, ProductTile{64, 64}};
// Matrix units of Ampere and later also have larger ones.
constexpr std::array product_tiles_of_matrix_units = {ProductTile{256, 128}, ProductTile{128, 256},
                                                      ProductTile{256, 64}};
constexpr std::array splits_of_sums = {1, 2, 4, 8, 16, 32, 64, 128};
constexpr double shallowest = 64;            // part of the sum that a split keeps
constexpr double transforms_library = 6;     // the first cuDNN with Winograd for filter gradients
constexpr Seconds launch_in_graph{2.5e-6};   // as between any two kernels
constexpr Seconds start_since_ampere{5e-6};  // rounded from an H100's
constexpr double few_channels_since_ampere = 0.4;  // rounded from an H100's
constexpr double fft_library = 7;                  // the first that chooses tiled FFT forward

// The kernels that a library has for the device and arithmetic of a problem.
enum class KernelFamily {
    lanes,            // Winograd and FFT beside products
    lanes_of_hopper,  // the same without fused Winograd; nor another for forward and backward-data
    matrix_units,     // only products
    narrow_lanes,     // for 16-bit numbers beside matrix units: only products
};

KernelFamily family_of(const ConvolutionProblem& a, const DeviceDescription& device,
                       double library) {
    if (library < padding_library) {
        return KernelFamily::lanes;
    }
    if (has_matrix_units(device, a.arithmetic)) {
        return KernelFamily::matrix_units;
    }
    constexpr double full_width = 4;
    if (a.element_bytes < full_width) {
        return KernelFamily::narrow_lanes;
    }
    constexpr double hopper = 4;
    return generation_of(device) >= hopper ? KernelFamily::lanes_of_hopper : KernelFamily::lanes;
}

bool is_pinned(const std::optional<ConvolutionKernel>& pinned, Algorithm algorithm) {
    return pinned && pinned->algorithm == algorithm;
}

bool has_unit_steps(const ConvolutionProblem& a) {
    return a.stride_h == 1 && a.stride_w == 1 && a.dilation_h == 1 && a.dilation_w == 1 &&
           a.groups == 1;
}

bool has_fft(const ConvolutionProblem& a, std::int64_t smallest) {
    constexpr std::int64_t largest = 16;
    return has_unit_steps(a) && a.r >= smallest && a.s >= smallest && a.r <= largest &&
           a.s <= largest;
}

// Whether the kernels for a problem include the algorithm at all. (On a Hopper, cuDNN 9 refuses
// fused Winograd everywhere, and what it takes in its place is tiled FFT, for filters of 3 x 3,
// too.)
bool has_algorithm(Algorithm algorithm, const ConvolutionProblem& a, KernelFamily family) {
    if (algorithm == Algorithm::precomputed_gemm || algorithm == Algorithm::direct ||
        family == KernelFamily::lanes) {
        return true;
    }
    return family == KernelFamily::lanes_of_hopper &&
           (algorithm == Algorithm::tiled_fft ||
            (algorithm == Algorithm::winograd_3x3 && a.pass == ConvolutionPass::backward_weights));
}

// Whether the library would choose the algorithm. (Winograd of 5 x 5 filters and FFTs of whole
// images are slower than the model predicts, and rarely chosen.)
bool would_take(Algorithm algorithm, const ConvolutionProblem& a, double library,
                KernelFamily family) {
    if (!has_algorithm(algorithm, a, family)) {
        return false;
    }
    const bool is_weights = a.pass == ConvolutionPass::backward_weights;
    const bool is_data = a.pass == ConvolutionPass::backward_data;
    constexpr std::int64_t fewest_direct = 4;
    const std::int64_t smallest_fft = family == KernelFamily::lanes_of_hopper ? 3 : 5;
    switch (algorithm) {
        case Algorithm::precomputed_gemm:
            return true;
        case Algorithm::fused_winograd:
            return has_unit_steps(a) && a.r == 3 && a.s == 3 && !is_weights;
        case Algorithm::winograd_3x3:
            return has_unit_steps(a) && a.r == 3 && a.s == 3 &&
                   (!is_weights || library >= transforms_library);
        case Algorithm::tiled_fft:
            return has_fft(a, smallest_fft) && (is_data || library >= fft_library);
        case Algorithm::direct:
            return a.is_depthwise() || (is_data && a.c / a.groups <= fewest_direct &&
                                        family != KernelFamily::matrix_units);
        default:
            return false;
    }
}

// Whether the algorithm can compute the problem; a table's name may contradict it.
bool can_take(Algorithm algorithm, const ConvolutionProblem& a) {
    constexpr std::int64_t tile = 32;
    switch (algorithm) {
        case Algorithm::fused_winograd:
        case Algorithm::winograd_3x3:
            return has_unit_steps(a) && a.r == 3 && a.s == 3;
        case Algorithm::winograd_5x5:
            return has_unit_steps(a) && a.r == 5 && a.s == 5;
        case Algorithm::tiled_fft:
            return has_unit_steps(a) && a.r <= tile / 2 && a.s <= tile / 2;
        case Algorithm::fft:
            return has_unit_steps(a);
        default:
            return true;
    }
}

// The length of the sum of an algorithm's products, if it may be split.
double depth_of(Algorithm algorithm, const ConvolutionProblem& a, KernelFamily family) {
    const auto number = [](std::int64_t x) { return static_cast<double>(x); };
    if (a.pass == ConvolutionPass::backward_weights) {
        const double pixels = number(a.n) * number(a.result_h()) * number(a.result_w());
        return algorithm == Algorithm::winograd_3x3 ? pixels / 16 : pixels;
    }
    if (a.pass == ConvolutionPass::backward_data && algorithm != Algorithm::winograd_3x3) {
        return number(a.k / a.groups) * std::ceil(number(a.r) / number(a.stride_h)) *
               std::ceil(number(a.s) / number(a.stride_w));
    }
    if (a.pass == ConvolutionPass::forward && family == KernelFamily::matrix_units) {
        return number(a.c / a.groups * a.r * a.s);
    }
    return 0;  // others are never split
}

void add_tiled(Algorithm algorithm, const ConvolutionProblem& a, KernelFamily family,
               const std::optional<ConvolutionKernel>& pinned,
               std::vector<ConvolutionKernel>& found) {
    const double depth = depth_of(algorithm, a, family);
    const int most_splits = a.pass == ConvolutionPass::backward_weights ? 128 : 8;
    const auto add = [&](ProductTile tile) {
        for (const int splits : splits_of_sums) {
            if (splits == 1 || (splits <= most_splits && depth / splits >= shallowest)) {
                found.push_back(
                    {.algorithm = algorithm, .tile_m = tile.m, .tile_n = tile.n, .splits = splits});
            }
        }
    };
    if (is_pinned(pinned, algorithm) && pinned->tile_m > 0) {
        add({pinned->tile_m, pinned->tile_n});
        return;
    }
    std::ranges::for_each(product_tiles, add);
    if (family == KernelFamily::matrix_units) {
        std::ranges::for_each(product_tiles_of_matrix_units, add);
    }
    if (a.pass == ConvolutionPass::backward_weights && a.c / a.groups < 8) {
        add({32, 32});
    }
}

void add_kernels(Algorithm algorithm, const ConvolutionProblem& a, KernelFamily family,
                 const std::optional<ConvolutionKernel>& pinned,
                 std::vector<ConvolutionKernel>& found) {
    switch (algorithm) {
        case Algorithm::implicit_gemm:
        case Algorithm::precomputed_gemm:
        case Algorithm::explicit_gemm:
        case Algorithm::winograd_3x3:
        case Algorithm::winograd_5x5:
            return add_tiled(algorithm, a, family, pinned, found);
        case Algorithm::fused_winograd: {
            ConvolutionKernel kernel{
                .algorithm = algorithm, .block_images = 1, .block_rows = 4, .block_columns = 8};
            if (is_pinned(pinned, algorithm) && pinned->block_images > 0) {
                kernel = *pinned;
            }
            found.push_back(kernel);
            return;
        }
        default:
            found.push_back({.algorithm = algorithm});
    }
}

// cuDNN's names of algorithms.
struct AlgorithmName {
    std::string_view name;
    Algorithm algorithm;
};
constexpr std::array algorithm_names = {
    AlgorithmName{"IMPLICIT_GEMM", Algorithm::implicit_gemm},
    AlgorithmName{"IMPLICIT_PRECOMP_GEMM", Algorithm::precomputed_gemm},
    AlgorithmName{"LICIT_PRECOMP_GEMM", Algorithm::precomputed_gemm},  // truncated by DeepBench
    AlgorithmName{"GEMM", Algorithm::explicit_gemm},
    AlgorithmName{"WINOGRAD", Algorithm::fused_winograd},
    AlgorithmName{"FFT", Algorithm::fft},
    AlgorithmName{"FFT_TILING", Algorithm::tiled_fft},
    AlgorithmName{"DIRECT", Algorithm::direct}};

// Parts of kernels' names that determine the algorithm, in order of precedence.
constexpr std::array kernel_names = {
    AlgorithmName{"scudnn_winograd", Algorithm::fused_winograd},
    AlgorithmName{"winogradforwarddata4x4", Algorithm::winograd_3x3},
    AlgorithmName{"fft2d_r2c_32x32", Algorithm::tiled_fft},
    AlgorithmName{"fft2d_r2c_16x16", Algorithm::tiled_fft},
    AlgorithmName{"fft2d", Algorithm::fft},
    AlgorithmName{"im2col", Algorithm::explicit_gemm},
    AlgorithmName{"scudnn_128x", Algorithm::precomputed_gemm},
    AlgorithmName{"precomputed_convolve_sgemm", Algorithm::precomputed_gemm},
    AlgorithmName{"implicit_convolve_sgemm", Algorithm::implicit_gemm}};

// "..._tile148t_...": images x rows x columns of a fused Winograd block.
void read_block(std::string_view name, ConvolutionKernel& kernel) {
    constexpr std::string_view mark = "_tile";
    const std::size_t at = name.find(mark);
    if (at == std::string_view::npos || name.size() < at + mark.size() + 3) {
        return;
    }
    const std::string_view digits = name.substr(at + mark.size(), 3);
    if (std::ranges::all_of(digits, [](char c) { return c >= '1' && c <= '9'; })) {
        kernel.block_images = digits[0] - '0';
        kernel.block_rows = digits[1] - '0';
        kernel.block_columns = digits[2] - '0';
    }
}

// The tile of the product among kernels joined by +.
void read_tile(std::string_view names, ConvolutionKernel& kernel) {
    for (const std::string_view name : split(names, '+')) {
        const bool is_product = name.find("sgemm") != std::string_view::npos ||
                                name.find("scudnn") != std::string_view::npos;
        const auto product = is_product ? kernel_named(name, 256) : std::nullopt;
        if (product) {
            kernel.tile_m = product->tile_n;
            kernel.tile_n = product->tile_m;
            return;
        }
    }
}

}  // namespace

std::optional<ConvolutionKernel> convolution_kernel_named(std::string_view name,
                                                          std::int64_t filter_height) {
    if (name == "WINOGRAD_NONFUSED") {
        return ConvolutionKernel{.algorithm = filter_height == 5 ? Algorithm::winograd_5x5
                                                                 : Algorithm::winograd_3x3};
    }
    for (const AlgorithmName& known : algorithm_names) {
        if (name == known.name) {
            return ConvolutionKernel{.algorithm = known.algorithm};
        }
    }
    for (const AlgorithmName& known : kernel_names) {
        if (name.find(known.name) != std::string_view::npos) {
            ConvolutionKernel kernel{.algorithm = known.algorithm};
            if (known.algorithm == Algorithm::fused_winograd) {
                read_block(name, kernel);
            } else {
                read_tile(name, kernel);
            }
            return kernel;
        }
    }
    return {};
}

std::vector<ConvolutionKernel> candidate_kernels(const ConvolutionProblem& problem,
                                                 const DeviceDescription& device, double library,
                                                 const std::optional<ConvolutionKernel>& pinned) {
    std::vector<ConvolutionKernel> found;
    const KernelFamily family = family_of(problem, device, library);
    if (pinned && can_take(pinned->algorithm, problem)) {
        add_kernels(pinned->algorithm, problem, family, pinned, found);
        return found;
    }
    for (std::size_t i = 0; i < names_of(Algorithm{}).size(); ++i) {
        const auto algorithm = static_cast<Algorithm>(i);
        if (would_take(algorithm, problem, library, family)) {
            add_kernels(algorithm, problem, family, {}, found);
        }
    }
    return found;
}

ConvolutionRates prior_convolution_rates(const DeviceDescription& device, ConvolutionPass pass) {
    ConvolutionRates rates;
    if (pass == ConvolutionPass::backward_data) {
        rates.dram_efficiency = 0.84;
        rates.overlap = 2.6;
        rates.tile_128x128 = 0.82;
        rates.tile_128x64 = 0.73;
        rates.tile_128x32 = 0.31;
        rates.tile_64x64 = 0.68;
        rates.fused_winograd = 0.86;
        rates.pointwise = 0.98;
    } else if (pass == ConvolutionPass::backward_weights) {
        rates.launch = Seconds{8e-6};
        rates.overlap = 2.3;
        rates.dram_efficiency = 0.33;
        rates.half_saturation = 0.6;
        rates.ramp = 60;
        rates.tile_128x128 = 0.83;
        rates.tile_128x64 = 0.71;
        rates.tile_64x64 = 0.66;
        rates.batched_products = 1.2;
        rates.pointwise = 0.77;
        rates.few_channels = 0.83;
        rates.filter_transforms = 1.2;
        rates.split_efficiency = 1.4;
    }
    constexpr double gain = 1.25, measured_generation = 1;
    if (generation_of(device) > last_gaining_generation) {
        rates.few_channels = few_channels_since_ampere;
    }
    const double generation = std::min(generation_of(device), last_gaining_generation);
    rates = later(rates, generation - measured_generation, gain);
    if (generation_of(device) > last_gaining_generation) {
        rates.launch = launch_in_graph;
        rates.start = start_since_ampere;
    }
    constexpr double libraries_of_generations = 5;  // cuDNN 5 for Maxwell, 7 for Volta
    return with_library(rates, pass, libraries_of_generations + generation_of(device));
}

ConvolutionRates with_library(ConvolutionRates rates, ConvolutionPass pass, double library) {
    constexpr double ramp_before = 5, dram_before = 0.75;  // relative to later libraries
    const bool was_before = rates.library < transforms_library,
               is_before = library < transforms_library;
    if (pass == ConvolutionPass::backward_weights && was_before != is_before) {
        rates.ramp *= is_before ? ramp_before : 1 / ramp_before;
        rates.dram_efficiency *= is_before ? dram_before : 1 / dram_before;
    }
    rates.library = library;
    return rates;
}

double generation_of(const DeviceDescription& device) {
    struct Generation {
        std::string_view architecture;
        double number;
    };
    constexpr std::array generations = {
        Generation{"kepler", 0}, Generation{"maxwell", 0}, Generation{"pascal", 1},
        Generation{"volta", 2},  Generation{"turing", 2},  Generation{"ampere", 3},
        Generation{"ada", 3},    Generation{"hopper", 4},  Generation{"blackwell", 5}};
    const auto* const found =
        std::ranges::find(generations, device.architecture, &Generation::architecture);
    return found == generations.end() ? 1 : found->number;
}

ConvolutionRates later(ConvolutionRates rates, double generations, double gain) {
    const double factor = std::pow(gain, generations);
    rates.launch = rates.launch / factor;
    rates.transform_launches = rates.transform_launches / factor;
    rates.split = rates.split / factor;
    for (double* const rate :
         {&rates.l2, &rates.tile_128x128, &rates.tile_128x64, &rates.tile_128x32, &rates.tile_64x64,
          &rates.fused_winograd, &rates.batched_products, &rates.transforms,
          &rates.filter_transforms, &rates.direct, &rates.depthwise, &rates.fft,
          &rates.split_efficiency, &rates.dram_efficiency}) {
        *rate *= factor;
    }
    return rates;
}

}  // namespace strata
