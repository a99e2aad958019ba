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

struct WinogradAlgorithm {
    ConvolutionAlgorithm algorithm = ConvolutionAlgorithm::direct;
    std::int64_t m = 0;
    std::int64_t r = 0;
    RatesByPass avx2 = {};
    RatesByPass avx512 = {};
};

// Fitted by bench/algorithm_rates to the convolutions of 21 networks, batches 1 to 32, on two
// processors of an AMD EPYC (Zen 5); AVX2 is the same machine with every library held to AVX2. The
// times of the 80 to 109 passes of each 3x3 row, 20 of each 5x5 row, are off by 5 to 15 % in the
// median. With narrower registers nothing was measured.
constexpr std::array<WinogradAlgorithm, 2> algorithms = {{
    {ConvolutionAlgorithm::winograd_4x4_3x3,
     4,
     3,
     {{{1.25, 18, 10, 44, 3.2e6}, {1.30, 24, 3, 72, 4.5e6}, {0.88, 31, 28, 54, 1.8e6}}},
     {{{1.19, 13, 18, 28, 2.0e6}, {1.27, 29, 0, 53, 0}, {1.25, 21, 26, 22, 0}}}},
    {ConvolutionAlgorithm::winograd_4x4_5x5,
     4,
     5,
     {{{1.43, 0, 22, 42, 9.5e6}, {1.69, 26, 0, 89, 8.5e6}, {1.11, 5, 55, 68, 3.0e6}}},
     {{{1.54, 0, 17, 30, 6.0e6}, {1.90, 12, 0, 60, 7.5e6}, {1.79, 6, 46, 20, 0}}}},
}};

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

double direct_multiply_adds(const ConvolutionTask& convolution) {
    const std::int64_t depth = convolution.x.dims[1] / convolution.op.groups;
    return static_cast<double>(product(convolution.y.dims)) *
           static_cast<double>(depth * product(convolution.op.kernel));
}

ExpectedAlgorithm expected_of(const WinogradAlgorithm& winograd, const WinogradRates& rates,
                              const ConvolutionTask& convolution) {
    const bool is_data = convolution.pass == Pass::backward_data;
    const Dims& result = is_data ? convolution.x.dims : convolution.y.dims;
    const std::int64_t groups = convolution.op.groups, side = winograd.m + winograd.r - 1;
    const auto tiles = [&](std::int64_t extent) { return (extent + winograd.m - 1) / winograd.m; };
    const auto elements =
        static_cast<double>(result[0] * tiles(result[2]) * tiles(result[3]) * side * side);
    const double inputs = padded(convolution.x.dims[1] / groups);
    const double outputs = padded(convolution.y.dims[1] / groups);
    const double filters =
        convolution.keeps_filters ? 0 : static_cast<double>(side * side) * inputs * outputs;
    const double products = static_cast<double>(groups) * elements * inputs * outputs;
    const double transforms = rates.read_element * elements * (is_data ? outputs : inputs) +
                              rates.made_element * elements * (is_data ? inputs : outputs) +
                              rates.filter * filters;
    const double direct = direct_multiply_adds(convolution);
    const double cost =
        rates.product * products + static_cast<double>(groups) * transforms + rates.start;
    return {winograd.algorithm, cost / direct, products / direct};
}

}  // namespace

std::optional<ExpectedAlgorithm> expected_of(ConvolutionAlgorithm algorithm,
                                             const ConvolutionTask& convolution,
                                             VectorRegisters registers) {
    const auto* winograd = std::ranges::find(algorithms, algorithm, &WinogradAlgorithm::algorithm);
    if (registers == VectorRegisters::narrower || winograd == algorithms.end() ||
        !can_compute(*winograd, convolution)) {
        return {};
    }
    const RatesByPass& rates =
        registers == VectorRegisters::avx512 ? winograd->avx512 : winograd->avx2;
    return expected_of(*winograd, rates[static_cast<std::size_t>(convolution.pass)], convolution);
}

std::optional<ExpectedAlgorithm> faster_than_direct(const ConvolutionTask& convolution,
                                                    VectorRegisters registers) {
    for (const WinogradAlgorithm& winograd : algorithms) {
        const auto expected = expected_of(winograd.algorithm, convolution, registers);
        if (expected && expected->time_share < sure_share) {
            return expected;
        }
    }
    return {};
}

}  // namespace strata
