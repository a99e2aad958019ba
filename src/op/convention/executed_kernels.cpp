// SPDX-License-Identifier: MIT
#include "op/convention/executed_kernels.h"

#include "base/error.h"
#include "base/text.h"
#include "op/convention/convolution_extents.h"
#include "op/convention/tiled_product.h"
#include "op/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

bool has_bias(const Op& op) {
    const auto* convolution = std::get_if<Convolution>(&op);
    const auto* connected = std::get_if<FullyConnected>(&op);
    return (convolution != nullptr && convolution->bias) ||
           (connected != nullptr && connected->bias);
}

std::optional<ConvolutionExtents> winograd_convolution(const Op& op, const Signature& signature) {
    const auto convolution = convolution_extents(op, signature);
    const bool fits = convolution && is_unit_square(*convolution) &&
                      convolution->window.kernel[0] == 3 && convolution->groups == 1;
    return fits ? convolution : std::nullopt;
}

template <int each_output>
std::optional<double> gemm_kernel(const Op& op, const Signature& signature) {
    const auto product = implicit_product(op, signature);
    return product ? std::optional(operations_in_tiles(*product, tile_128x64, each_output))
                   : std::nullopt;
}

std::optional<double> winograd_tile(const Op& op, const Signature& signature) {
    const auto convolution = winograd_convolution(op, signature);
    if (!convolution) {
        return {};
    }
    const double rows = std::ceil(static_cast<double>(convolution->output[0]) / 2);
    const double columns = std::ceil(static_cast<double>(convolution->output[1]) / 2);
    const double tiles = rounded_up(convolution->images * rows * columns, 64);
    const double channels = convolution->channels, filters = convolution->filters;
    return 32 * tiles * channels * filters + 160 * tiles * channels * std::ceil(filters / 128) +
           38 * tiles * filters;
}

std::optional<double> winograd_filter(const Op& op, const Signature& signature) {
    const auto convolution = winograd_convolution(op, signature);
    return convolution ? std::optional(58 * convolution->channels * convolution->filters)
                       : std::nullopt;
}

std::optional<double> gemv(const Op& op, const Signature& signature) {
    if (!std::holds_alternative<FullyConnected>(op) || signature.outputs[0].dims[0] != 1) {
        return {};
    }
    const Product product = *implicit_product(op, signature);
    return product.n * (2 * product.k + 5 * std::ceil(product.k / 128) + 3);
}

std::optional<double> bias(const Op& op, const Signature& signature) {
    return has_bias(op) ? std::optional(count_of(signature.outputs[0])) : std::nullopt;
}

std::optional<double> pooling(const Op& op, const Signature& signature) {
    return std::holds_alternative<Pooling>(op) ? std::optional(count_of(signature.outputs[0]))
                                               : std::nullopt;
}

constexpr std::array kernels = {
    ExecutedKernel{"gemm-128x64", "implicit GEMM in tiles of 128x64x4", gemm_kernel<1>},
    ExecutedKernel{"gemm-128x64-split", "the same with the sum made in parts", gemm_kernel<6>},
    ExecutedKernel{"winograd-tile", "Winograd F(2x2,3x3) on tiles", winograd_tile},
    ExecutedKernel{"winograd-filter", "the transform of Winograd's filters", winograd_filter},
    ExecutedKernel{"gemv", "matrix times vector", gemv},
    ExecutedKernel{"bias", "addition of the bias", bias},
    ExecutedKernel{"pooling", "maximum or mean of windows", pooling},
};

}  // namespace

std::span<const ExecutedKernel> executed_kernels() {
    return kernels;
}

const ExecutedKernel& find_executed_kernel(std::string_view name) {
    const auto found = std::ranges::find(kernels, name, &ExecutedKernel::name);
    if (found == kernels.end()) {
        throw Error(fmt::format("\"{}\" is not a kernel with known operations", printable(name)));
    }
    return *found;
}

}  // namespace strata
