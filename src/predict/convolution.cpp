// SPDX-License-Identifier: MIT
#include "predict/convolution.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace strata {

namespace {

constexpr double step_clocks = 400;  // latency of 8 steps along the sum
constexpr double block_start = 1e-6;
constexpr std::int64_t few = 8;  // channels
// Multiply-adds in a clock of a processor that loads of 2 or 4 bytes feed if an image's channels
// are too few for a whole load: .3 of what an H100's matrix units do in 16 bits, .6 in TF32
// (rounded from its first layers), and more than narrower ones of other boards do.
constexpr double fed_by_narrow_loads = 600;
constexpr double width_of_hopper = 2048;  // multiply-adds in 16 bits, likewise
// What tensors keep of the memory's bandwidth if their channels are no multiples of eight (rounded
// from an H100's memory-bound convolutions of 58 and 116 channels).
constexpr double share_of_narrow_rows = 0.65;
constexpr double product_depth = 8;
constexpr double largest_whole = 1e18;  // so that absurd extents stay integers

double up(double value, double part) {
    return std::ceil(value / part);
}

std::int64_t extent(std::int64_t image, std::int64_t pad, std::int64_t filter,
                    std::int64_t dilation, std::int64_t stride) {
    const std::int64_t room = image + 2 * pad - dilation * (filter - 1) - 1;
    return room < 0 ? 0 : room / stride + 1;
}

// A problem's extents as numbers, and the bytes of its tensors.
struct Extents {
    double n, c, h, w, k, r, s, u, v, p, q, groups, size;
    double images() const { return n * c * h * w * size; }
    double results() const { return n * k * p * q * size; }
    double filters() const { return k * c / groups * r * s * size; }
};

Extents extents_of(const ConvolutionProblem& a) {
    const auto number = [](std::int64_t x) { return static_cast<double>(x); };
    return {.n = number(a.n),
            .c = number(a.c),
            .h = number(a.h),
            .w = number(a.w),
            .k = number(a.k),
            .r = number(a.r),
            .s = number(a.s),
            .u = number(a.stride_h),
            .v = number(a.stride_w),
            .p = number(a.result_h()),
            .q = number(a.result_w()),
            .groups = number(a.groups),
            .size = a.element_bytes};
}

// `batch` products, rows x columns x sum.
struct Product {
    double m, n, k, batch;

    GemmProblem gemm(Arithmetic arithmetic, double size) const {
        const auto whole = [](double x) {
            return static_cast<std::int64_t>(std::min(x, largest_whole));
        };
        return {.batch = whole(batch),
                .m = whole(m),
                .n = whole(n),
                .k = whole(k),
                .arithmetic = arithmetic,
                .element_bytes = size};
    }
    double outputs() const { return m * n * batch; }
};

// Backward-data is one product for each phase of the strides that a filter reaches. (A padded 1 x 1
// filter has more results than its only phase has pixels.)
Product strided_product(const Extents& x) {
    const double pixels = up(x.h, x.u) * up(x.w, x.v);
    const bool is_pointwise = x.r == 1 && x.s == 1;
    return {.m = x.n * (is_pointwise ? std::max(x.p * x.q, pixels) : pixels),
            .n = x.c / x.groups,
            .k = x.k / x.groups * up(x.r, x.u) * up(x.s, x.v),
            .batch = x.groups * std::min(x.u, x.r) * std::min(x.v, x.s)};
}

Product plain_product(const Extents& x, ConvolutionPass pass) {
    const double c = x.c / x.groups, k = x.k / x.groups;
    if (pass == ConvolutionPass::forward) {
        return {x.n * x.p * x.q, k, c * x.r * x.s, x.groups};
    }
    if (pass == ConvolutionPass::backward_weights) {
        return {c * x.r * x.s, k, x.n * x.p * x.q, x.groups};
    }
    return strided_product(x);
}

// The products of transformed tiles; each image has `per_image` tiles.
Product transformed_product(const Extents& x, ConvolutionPass pass, double per_image,
                            double products) {
    const double tiles = x.n * per_image;
    if (pass == ConvolutionPass::forward) {
        return {tiles, x.k, x.c, products};
    }
    if (pass == ConvolutionPass::backward_weights) {
        return {x.c, x.k, tiles, products};
    }
    return {tiles, x.c, x.k, products};
}

// The extents of the image that is divided into tiles.
std::pair<double, double> tiled_extents(const Extents& x, ConvolutionPass pass) {
    return pass == ConvolutionPass::backward_data ? std::pair(x.h, x.w) : std::pair(x.p, x.q);
}

// Numbers of a device and its rates, in the form that a kernel's terms need.
struct Reached {
    const DeviceDescription& device;
    const ConvolutionRates& rates;
    double clock;
    Bandwidth memory, l2;
    FlopRate peak;          // of the lanes
    Arithmetic arithmetic;  // of the products
};

bool fits_matrix_units(const ConvolutionProblem& a, const ConvolutionRates& rates) {
    return rates.library >= padding_library || (a.c / a.groups % channels_of_matrix_units == 0 &&
                                                a.k / a.groups % channels_of_matrix_units == 0);
}

Arithmetic arithmetic_of_products(const ConvolutionProblem& problem,
                                  const DeviceDescription& device, const ConvolutionRates& rates) {
    return fits_matrix_units(problem, rates) && has_matrix_units(device, problem.arithmetic)
               ? problem.arithmetic
               : Arithmetic::f32;
}

// The channels and filters that matrix units would need. cuDNN 7 pads them to eight and multiplies
// them all on the lanes, so one channel takes 8 times as long in 16 bits as in 32 (shown by
// DeepBench's V100). Later ones multiply the padding, too, also of groups, but do not move it.
struct PaddedExtents {
    Extents multiplied, moved;
};

PaddedExtents padded_extents(const ConvolutionProblem& problem, const DeviceDescription& device,
                             const ConvolutionRates& rates) {
    const bool is_on_chip = rates.library >= padding_library;
    PaddedExtents found{.multiplied = extents_of(problem), .moved = extents_of(problem)};
    if (has_matrix_units(device, problem.arithmetic) && (problem.groups == 1 || is_on_chip)) {
        const double whole = found.moved.groups * channels_of_matrix_units;
        found.multiplied.c = whole * up(found.moved.c, whole);
        found.multiplied.k = whole * up(found.moved.k, whole);
    }
    if (!is_on_chip) {
        found.moved = found.multiplied;
    }
    return found;
}

Reached reached_by(const ConvolutionProblem& problem, const DeviceDescription& device,
                   const ConvolutionRates& rates) {
    const auto& clock = device.boost_clock ? device.boost_clock : device.base_clock;
    check(device.processors && device.lanes && clock && device.dram_bandwidth,
          "a device for convolutions has processors, lanes, a clock and a memory");
    return {.device = device,
            .rates = rates,
            .clock = clock->value.value,
            .memory = device.dram_bandwidth->value,
            .l2 = assumed_l2_bandwidth(device) * rates.l2,
            .peak = *derived_f32_peak(device, clock),
            .arithmetic = arithmetic_of_products(problem, device, rates)};
}

double efficiency_of_tile(const ConvolutionKernel& kernel, const ConvolutionRates& rates) {
    const int larger = std::max(kernel.tile_m, kernel.tile_n),
              smaller = std::min(kernel.tile_m, kernel.tile_n);
    if (larger < 128) {
        return rates.tile_64x64;
    }
    return smaller >= 128  ? rates.tile_128x128
           : smaller >= 64 ? rates.tile_128x64
                           : rates.tile_128x32;
}

// Tiles in waves; each block loses `ramp` multiply-adds along the sum.
void add_blocks(const Product& product, const GemmKernel& kernel, double efficiency, double ramp,
                double size, const Reached& reached, ConvolutionPrediction& found) {
    const double depth = product_depth * up(product.k / kernel.splits, product_depth);
    constexpr double steps_of_matrix_units = 4;  // each as deep as this many of the lanes'
    const double clocks =
        step_clocks / (reached.arithmetic == Arithmetic::f32 ? 1 : steps_of_matrix_units);
    const KernelRates block{.efficiency = efficiency * depth / (depth + ramp),
                            .step = Seconds{clocks / reached.clock * reached.rates.latency},
                            .epilogue = Seconds{block_start * reached.rates.latency},
                            .half_saturation = reached.rates.half_saturation};
    const BlockTimes times = times_of_blocks(product.gemm(reached.arithmetic, size), kernel,
                                             reached.device, block, reached.l2);
    found.arithmetic = times.arithmetic;
    found.latency = times.latency;
    found.l2 = times.l2;
    found.l2_traffic = times.l2 * reached.l2;
    found.flops = Flops{2 * times.blocks * kernel.tile_n * kernel.tile_m * depth};
}

// The time of this many bytes at this share of the stated bandwidth.
Seconds moved(double bytes, const Reached& reached, double efficiency,
              ConvolutionPrediction& found) {
    found.dram_traffic += Bytes{bytes};
    return Bytes{bytes} / (reached.memory * efficiency);
}

// Partial sums are written once and read once.
void add_split(const Product& product, int splits, const Reached& reached,
               ConvolutionPrediction& found) {
    if (splits > 1) {
        found.split += reached.rates.split + moved(2 * splits * product.outputs() * 4, reached,
                                                   reached.rates.split_efficiency, found);
        found.workspace += Bytes{splits * product.outputs() * 4};
    }
}

// The multiply-adds in a clock of a processor.
double width_of_units(const Reached& reached) {
    const FlopRate peak = peak_of(reached.device, reached.arithmetic);
    return peak.value / (2 * reached.device.processors->value.value * reached.clock);
}

// What the units of a product keep of their speed if channels are too few for whole loads and for
// the units. Loads feed a processor of any width alike.
double share_of_few_channels(const Extents& multiplied, const Extents& moved,
                             const Reached& reached) {
    const bool is_few = moved.c / moved.groups < few;
    if (reached.arithmetic == Arithmetic::f32) {
        return is_few ? reached.rates.few_channels : 1;
    }
    const double width = width_of_units(reached) / reached.rates.fed;
    const bool is_narrow = multiplied.c > moved.c && multiplied.groups == 1;
    return (is_few ? std::min(1.0, reached.rates.few_channels * width_of_hopper / width) : 1) *
           (is_narrow ? std::min(1.0, fed_by_narrow_loads / width) : 1);
}

void add_plain(const ConvolutionProblem& problem, const PaddedExtents& extents,
               const Reached& reached, ConvolutionPrediction& found) {
    const auto& [x, y] = extents;  // multiplied, and moved
    const ConvolutionRates& rates = reached.rates;
    const ConvolutionKernel& kernel = found.kernel;
    const Product product = plain_product(x, problem.pass);
    const bool is_data = problem.pass == ConvolutionPass::backward_data;
    const bool is_pointwise = x.r == 1 && x.s == 1, is_strided = x.u > 1 || x.v > 1;
    const double efficiency = efficiency_of_tile(kernel, rates) *
                              share_of_few_channels(x, y, reached) *
                              (is_pointwise ? rates.pointwise : 1) /
                              (is_data && is_strided && is_pointwise ? rates.strided : 1);
    add_blocks(product, blocks_of(kernel), efficiency, rates.ramp, x.size, reached, found);
    // Filters smaller than the stride skip whole rows, and parts of the lines in the others.
    const double read =
        is_data ? 1 : std::min(1.0, x.r / x.u) * std::min(1.0, (x.s + 1) / (x.v + 1));
    found.dram =
        moved(y.images() * read + y.results() + y.filters(), reached, rates.dram_efficiency, found);
    const double narrow =
        x.groups > 1 ? 0 : (x.c > y.c ? y.images() * read : 0) + (x.k > y.k ? y.results() : 0);
    found.dram +=
        Bytes{narrow * (1 / share_of_narrow_rows - 1)} / (reached.memory * rates.dram_efficiency);
    if (is_data && is_strided && rates.library < padding_library) {
        found.split += moved(y.images() * rates.scattered, reached, 1, found);
    }
    add_split(product, kernel.splits, reached, found);
    if (kernel.algorithm == LibraryAlgorithm::explicit_gemm) {
        const double gathered = product.m * product.k * product.batch * x.size;
        found.transforms =
            rates.transform_launches + moved(2 * gathered, reached, rates.transforms, found);
        found.workspace += Bytes{gathered};
    }
}

void add_fused_winograd(const ConvolutionProblem& problem, const Extents& x, const Reached& reached,
                        ConvolutionPrediction& found) {
    constexpr double block_tiles = 32, tile = 2, transformed = 16, filter = 9;
    constexpr int as_product = 128;  // 16 products of 32 x 32 equal one of 128 x 128
    const ConvolutionKernel& kernel = found.kernel;
    const auto [height, width] = tiled_extents(x, problem.pass);
    const double blocks = up(x.n, kernel.block_images) * up(up(height, tile), kernel.block_rows) *
                          up(up(width, tile), kernel.block_columns);
    const Product product = transformed_product(x, problem.pass, blocks * block_tiles / x.n, 1);
    const double scale = as_product / block_tiles;
    add_blocks({product.m * scale, product.n * scale, product.k, 1},
               {.tile_n = as_product, .tile_m = as_product, .warps = 8, .splits = 1},
               reached.rates.fused_winograd, reached.rates.winograd_ramp, x.size, reached, found);
    const double filters = x.c * x.k * x.size;
    found.dram = moved(x.images() + x.results() + transformed * filters, reached,
                       reached.rates.dram_efficiency, found);
    found.transforms =
        moved((filter + transformed) * filters, reached, reached.rates.filter_transforms, found);
    found.workspace = Bytes{transformed * filters};
}

void add_winograd(const ConvolutionProblem& problem, const Extents& x, double filter,
                  const Reached& reached, ConvolutionPrediction& found) {
    constexpr double tile = 4;
    const double points = (tile + filter - 1) * (tile + filter - 1);
    const auto [height, width] = tiled_extents(x, problem.pass);
    const double per_image = up(height, tile) * up(width, tile);
    const Product product = transformed_product(x, problem.pass, per_image, points);
    const ConvolutionRates& rates = reached.rates;
    add_blocks(
        product, blocks_of(found.kernel),
        rates.batched_products * efficiency_of_tile(found.kernel, rates) / rates.tile_128x128,
        rates.ramp, x.size, reached, found);
    const double tiles = points * x.n * per_image * (x.c + x.k) * x.size;
    const double filters = points * x.c * x.k * x.size;
    found.dram = moved(tiles + filters, reached, rates.dram_efficiency, found);
    found.transforms = rates.transform_launches +
                       moved(x.images() + x.results() + tiles, reached, rates.transforms, found) +
                       moved(x.filters() + filters, reached, rates.filter_transforms, found);
    found.workspace = Bytes{tiles + filters};
    add_split(product, found.kernel.splits, reached, found);
}

// The side of the transformed tiles: 32, or as much as a whole padded image needs.
double fft_side(const Extents& x, LibraryAlgorithm algorithm) {
    constexpr double small = 32;
    return algorithm == LibraryAlgorithm::tiled_fft
               ? small
               : std::exp2(std::ceil(std::log2(std::max(x.h + x.r, x.w + x.s) - 1)));
}

void add_fft(const ConvolutionProblem& problem, const Extents& x, const Reached& reached,
             ConvolutionPrediction& found) {
    constexpr double complex_multiply_add = 8, complex_bytes = 8;
    const double side = fft_side(x, found.kernel.algorithm);
    const auto [height, width] = tiled_extents(x, problem.pass);
    const double per_image = up(height, side - x.r + 1) * up(width, side - x.s + 1);
    const double frequencies = side * (side / 2 + 1);  // of real images
    const double transforms = x.n * per_image * (x.c + x.k) + x.c * x.k;
    const double multiplies = x.n * per_image * x.c * x.k * frequencies;
    const double arrays = transforms * frequencies * complex_bytes;
    found.flops = Flops{complex_multiply_add * multiplies};
    found.arithmetic = found.flops / (reached.peak * reached.rates.fft);
    found.dram = moved(arrays, reached, reached.rates.dram_efficiency, found);
    found.transforms =
        reached.rates.transform_launches + moved(arrays, reached, reached.rates.transforms, found);
    found.workspace = Bytes{arrays};
}

void add_terms(const ConvolutionProblem& problem, const PaddedExtents& extents,
               const Reached& reached, ConvolutionPrediction& found) {
    const auto& [x, y] = extents;  // multiplied, and moved
    switch (found.kernel.algorithm) {
        case LibraryAlgorithm::implicit_gemm:
        case LibraryAlgorithm::precomputed_gemm:
        case LibraryAlgorithm::explicit_gemm:
            return add_plain(problem, extents, reached, found);
        case LibraryAlgorithm::fused_winograd:
            return add_fused_winograd(problem, x, reached, found);
        case LibraryAlgorithm::winograd_3x3:
            return add_winograd(problem, x, 3, reached, found);
        case LibraryAlgorithm::winograd_5x5:
            return add_winograd(problem, x, 5, reached, found);
        case LibraryAlgorithm::fft:
        case LibraryAlgorithm::tiled_fft:
            return add_fft(problem, x, reached, found);
        case LibraryAlgorithm::direct:
            found.flops = problem.flops();
            found.arithmetic =
                found.flops / (reached.peak * (problem.is_depthwise() ? reached.rates.depthwise
                                                                      : reached.rates.direct));
            found.dram = moved(y.images() + y.results() + y.filters(), reached,
                               reached.rates.dram_efficiency, found);
    }
}

}  // namespace

GemmKernel blocks_of(const ConvolutionKernel& kernel) {
    constexpr int outputs_of_warp = 2048;  // gives 8 warps for 128 x 128 and 2 for 64 x 64
    return {.tile_n = kernel.tile_n,
            .tile_m = kernel.tile_m,
            .warps = std::clamp(kernel.tile_m * kernel.tile_n / outputs_of_warp, 2, 8),
            .splits = kernel.splits};
}

std::int64_t ConvolutionProblem::result_h() const {
    return extent(h, pad_h, r, dilation_h, stride_h);
}

std::int64_t ConvolutionProblem::result_w() const {
    return extent(w, pad_w, s, dilation_w, stride_w);
}

Flops ConvolutionProblem::flops() const {
    const Extents x = extents_of(*this);
    return Flops{2 * x.n * x.k * x.p * x.q * x.c / x.groups * x.r * x.s};
}

Bytes ConvolutionProblem::traffic() const {
    const Extents x = extents_of(*this);
    return Bytes{x.images() + x.results() + x.filters()};
}

ConvolutionPrediction predict_kernel(const ConvolutionProblem& problem,
                                     const ConvolutionKernel& kernel,
                                     const DeviceDescription& device,
                                     const ConvolutionRates& rates) {
    const PaddedExtents extents = padded_extents(problem, device, rates);
    check(extents.moved.p > 0 && extents.moved.q > 0, "the result of a convolution is not empty");
    ConvolutionPrediction found{.kernel = kernel, .launch = rates.launch};
    add_terms(problem, extents, reached_by(problem, device, rates), found);
    const std::array bounds = {std::max(found.arithmetic, found.latency), found.l2, found.dram};
    const Seconds largest = std::ranges::max(bounds);
    double sum = 0;
    for (const Seconds bound : bounds) {
        sum += std::pow(bound / largest, rates.overlap);
    }
    found.time =
        found.launch + largest * std::pow(sum, 1 / rates.overlap) + found.transforms + found.split;
    found.time += rates.start;
    found.latency += rates.start;
    return found;
}

ConvolutionPrediction predict_fastest(const ConvolutionProblem& problem,
                                      std::span<const ConvolutionKernel> candidates,
                                      const DeviceDescription& device,
                                      const ConvolutionRates& rates) {
    check(!candidates.empty(), "a plan has a kernel to choose");
    std::optional<ConvolutionPrediction> best;
    for (const ConvolutionKernel& kernel : candidates) {
        ConvolutionPrediction found = predict_kernel(problem, kernel, device, rates);
        if (!best || found.time < best->time) {
            best = found;
        }
    }
    return *best;
}

ConvolutionPrediction predict_convolution(const ConvolutionProblem& problem,
                                          const DeviceDescription& device,
                                          const ConvolutionRates& rates,
                                          const std::optional<ConvolutionKernel>& pinned) {
    return predict_fastest(problem, candidate_kernels(problem, device, rates.library, pinned),
                           device, rates);
}

}  // namespace strata
