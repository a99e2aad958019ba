// SPDX-License-Identifier: MIT
#include "graph/expected_algorithm.h"

#include "op/window.h"

#include <algorithm>
#include <array>

namespace strata {

namespace {

// What the parts of a Winograd convolution cost, each as the number of direct convolution's
// multiply-adds that take as long. Such ratios carry over between processors better than times do.
struct WinogradRates {
    double product;       // per multiply-add of the products of transformed elements
    double read_element;  // per element of the transformed tiles that the products read
    double made_element;  // per element of those that they make
    double filter;        // per element of the transformed filters
    double start;         // per run
};

// By pass: forward, backward-data, backward-weights.
using RatesByPass = std::array<WinogradRates, 3>;

// F(m x m, r x r).
struct WinogradAlgorithm {
    ConvolutionAlgorithm algorithm = ConvolutionAlgorithm::direct;
    std::int64_t m = 0;
    std::int64_t r = 0;
    const RatesByPass* avx2 = nullptr;  // null: not measured, or not accurate enough
    const RatesByPass* avx512 = nullptr;
};

// Fitted by bench/convolution/algorithm_rates to the convolutions of 13 networks, batches 1 to 32,
// on two processors of an AMD EPYC (Zen 5); AVX2 is the same machine with every library held to
// AVX2. The times of the 103 to 109 passes of each 3x3 row with AVX2, 20 of each 5x5 row, are off
// by 4 to 15 % in the median.
constexpr RatesByPass avx2_3x3 = {{{1.25, 18, 10, 44, 3.2e6},  //
                                   {1.30, 24, 3, 72, 4.5e6},   //
                                   {0.88, 31, 28, 54, 1.8e6}}};
constexpr RatesByPass avx512_3x3 = {{{1.19, 13, 18, 28, 2.0e6},  //
                                     {1.27, 29, 0, 53, 0},       //
                                     {1.25, 21, 26, 22, 0}}};
constexpr RatesByPass avx2_5x5 = {{{1.43, 0, 22, 42, 9.5e6},  //
                                   {1.69, 26, 0, 89, 8.5e6},  //
                                   {1.11, 5, 55, 68, 3.0e6}}};
constexpr RatesByPass avx512_5x5 = {{{1.54, 0, 17, 30, 6.0e6},  //
                                     {1.90, 12, 0, 60, 7.5e6},  //
                                     {1.79, 6, 46, 20, 0}}};

constexpr std::array algorithms = {
    WinogradAlgorithm{ConvolutionAlgorithm::winograd_4x4_3x3, 4, 3, &avx2_3x3, &avx512_3x3},
    WinogradAlgorithm{ConvolutionAlgorithm::winograd_4x4_5x5, 4, 5, &avx2_5x5, &avx512_5x5},
    WinogradAlgorithm{ConvolutionAlgorithm::winograd_2x2_3x3, 2, 3},
    WinogradAlgorithm{ConvolutionAlgorithm::winograd_6x6_3x3, 6, 3},
    WinogradAlgorithm{ConvolutionAlgorithm::winograd_2x2_5x5, 2, 5},
};

const RatesByPass* rates_of(const WinogradAlgorithm& winograd, int vector_bits) {
    return vector_bits >= 512 ? winograd.avx512 : vector_bits >= 256 ? winograd.avx2 : nullptr;
}

// An algorithm replaces direct convolution only if its expected share of the time is below this,
// because expectations are off.
constexpr double sure_share = 0.9;

// Channels fill vectors.
double padded(std::int64_t channels) {
    constexpr std::int64_t vector = 16;
    return static_cast<double>((channels + vector - 1) / vector * vector);
}

bool can_compute(const WinogradAlgorithm& winograd, const ConvolutionTask& convolution) {
    const Window window = window_of(convolution.op, convolution.x);
    const auto are_all = [](const Dims& values, std::int64_t wanted) {
        return std::ranges::all_of(values, [&](std::int64_t value) { return value == wanted; });
    };
    return window.kernel.size() == 2 && convolution.pass != Pass::update &&
           are_all(window.kernel, winograd.r) && are_all(window.stride, 1) &&
           are_all(window.dilation, 1);
}

// The algorithm, if it can do the pass; else null.
const WinogradAlgorithm* find_for(ConvolutionAlgorithm algorithm,
                                  const ConvolutionTask& convolution) {
    const auto* found = std::ranges::find(algorithms, algorithm, &WinogradAlgorithm::algorithm);
    return found != algorithms.end() && can_compute(*found, convolution) ? found : nullptr;
}

double direct_multiply_adds(const ConvolutionTask& convolution) {
    const std::int64_t depth = convolution.x.dims[1] / convolution.op.groups;
    return static_cast<double>(product(convolution.y.dims)) *
           static_cast<double>(depth * product(convolution.op.kernel));
}

// The elements of all transformed tiles of a channel.
double tile_elements(const WinogradAlgorithm& winograd, const ConvolutionTask& convolution) {
    const bool is_data = convolution.pass == Pass::backward_data;
    const Dims& result = is_data ? convolution.x.dims : convolution.y.dims;
    const std::int64_t side = winograd.m + winograd.r - 1;
    const auto tiles = [&](std::int64_t extent) { return (extent + winograd.m - 1) / winograd.m; };
    return static_cast<double>(result[0] * tiles(result[2]) * tiles(result[3]) * side * side);
}

double cost_of(const WinogradAlgorithm& winograd, const WinogradRates& rates,
               const ConvolutionTask& convolution) {
    const bool is_data = convolution.pass == Pass::backward_data;
    const std::int64_t groups = convolution.op.groups, side = winograd.m + winograd.r - 1;
    const double elements = tile_elements(winograd, convolution);
    const double inputs = padded(convolution.x.dims[1] / groups);
    const double outputs = padded(convolution.y.dims[1] / groups);
    const double filters =
        convolution.keeps_filters ? 0 : static_cast<double>(side * side) * inputs * outputs;
    const double of_group = rates.product * elements * inputs * outputs +
                            rates.read_element * elements * (is_data ? outputs : inputs) +
                            rates.made_element * elements * (is_data ? inputs : outputs) +
                            rates.filter * filters;
    return static_cast<double>(groups) * of_group + rates.start;
}

}  // namespace

std::optional<double> product_share(ConvolutionAlgorithm algorithm,
                                    const ConvolutionTask& convolution) {
    const WinogradAlgorithm* winograd = find_for(algorithm, convolution);
    if (winograd == nullptr) {
        return {};
    }
    const std::int64_t groups = convolution.op.groups;
    const auto pairs = static_cast<double>(convolution.x.dims[1] / groups * convolution.y.dims[1]);
    return tile_elements(*winograd, convolution) * pairs / direct_multiply_adds(convolution);
}

std::optional<ExpectedAlgorithm> expected_of(ConvolutionAlgorithm algorithm,
                                             const ConvolutionTask& convolution, int vector_bits) {
    const WinogradAlgorithm* winograd = find_for(algorithm, convolution);
    const RatesByPass* rates = winograd == nullptr ? nullptr : rates_of(*winograd, vector_bits);
    if (rates == nullptr) {
        return {};
    }
    const auto pass = static_cast<std::size_t>(convolution.pass);
    return ExpectedAlgorithm{algorithm, cost_of(*winograd, (*rates)[pass], convolution) /
                                            direct_multiply_adds(convolution)};
}

std::optional<ExpectedAlgorithm> faster_than_direct(const ConvolutionTask& convolution,
                                                    int vector_bits) {
    for (const WinogradAlgorithm& winograd : algorithms) {
        const auto expected = expected_of(winograd.algorithm, convolution, vector_bits);
        if (expected && expected->time_share < sure_share) {
            return expected;
        }
    }
    return {};
}

}  // namespace strata
