// SPDX-License-Identifier: MIT
#include "op/convention/executed.h"

#include "base/error.h"
#include "base/text.h"
#include "op/convention/published.h"
#include "op/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

Product padded(const Product& product, const Tile& tile) {
    return {rounded_up(product.m, tile.m), rounded_up(product.n, tile.n),
            rounded_up(product.k, tile.k), product.copies};
}

Product fully_connected_product(const Signature& signature) {
    const Tensor& y = signature.outputs[0];
    const auto images = static_cast<double>(y.dims[0]);
    const double outputs = count_of(y) / images;
    return {images, outputs, count_of(signature.inputs[1].tensor) / outputs};
}

// A product of the last two axes for each index of the others.
Product matrix_product(const Op& matmul, const Signature& signature) {
    const Tensor& y = signature.outputs[0];
    const auto columns = static_cast<double>(y.dims.back());
    const auto rows = static_cast<double>(y.dims[y.dims.size() - 2]);
    const double multiply_adds = work_of(matmul, signature, Pass::forward).operations.multiply_adds;
    return {rows, columns, multiply_adds / count_of(y), count_of(y) / (rows * columns)};
}

// For each layer, direction and step: N x (input + state) times the weights of all gates. The
// input's weights precede the state's.
std::vector<Product> products_of_recurrence(const Signature& signature) {
    std::vector<Dims> weights;
    for (const Operand& operand : signature.inputs) {
        if (operand.role == Role::parameter && operand.tensor.dims.size() == 2) {
            weights.push_back(operand.tensor.dims);
        }
    }
    const Dims& x = signature.inputs[0].tensor.dims;
    std::vector<Product> products;
    for (std::size_t i = 0; i + 1 < weights.size(); i += 2) {
        products.push_back({static_cast<double>(x[1]), static_cast<double>(weights[i][0]),
                            static_cast<double>(weights[i][1] + weights[i + 1][1]),
                            static_cast<double>(x[0])});
    }
    return products;
}

}  // namespace

double rounded_up(double value, double multiple) {
    return std::ceil(value / multiple) * multiple;
}

double operations_in_tiles(const Product& product, const Tile& tile, double each_output) {
    const Product whole = padded(product, tile);
    return 2 * whole.outputs() * whole.k + each_output * whole.outputs();
}

std::optional<Product> implicit_product(const Op& op, const Signature& signature) {
    if (const auto convolution = convolution_extents(op, signature)) {
        return Product{convolution->images * convolution->positions, convolution->filters,
                       convolution->channels * convolution->taps, convolution->groups};
    }
    if (std::holds_alternative<FullyConnected>(op)) {
        return fully_connected_product(signature);
    }
    return {};
}

std::vector<Product> library_products(const Op& op, const Signature& signature) {
    if (std::holds_alternative<FullyConnected>(op)) {
        return {fully_connected_product(signature)};
    }
    if (std::holds_alternative<MatMul>(op)) {
        return {matrix_product(op, signature)};
    }
    return std::holds_alternative<Recurrent>(op) ? products_of_recurrence(signature)
                                                 : std::vector<Product>{};
}

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
    ExecutedKernel{"gemm-128x64-split", "the same with the sum split into parts", gemm_kernel<6>},
    ExecutedKernel{"winograd-tile", "Winograd F(2x2,3x3) over tiles", winograd_tile},
    ExecutedKernel{"winograd-filter", "the transform of the Winograd filters", winograd_filter},
    ExecutedKernel{"gemv", "matrix times vector", gemv},
    ExecutedKernel{"bias", "addition of the bias", bias},
    ExecutedKernel{"pooling", "maximum or mean of windows", pooling},
};

}  // namespace

const ExecutedKernel& find_executed_kernel(std::string_view name) {
    const auto found = std::ranges::find(kernels, name, &ExecutedKernel::name);
    if (found == kernels.end()) {
        throw Error(fmt::format("\"{}\" is not a kernel with known operations", printable(name)));
    }
    return *found;
}

namespace {

std::optional<double> executed(std::string_view kernel, const Op& op, const Signature& signature) {
    return find_executed_kernel(kernel).count(op, signature);
}

double executed_bias(const Op& op, const Signature& signature) {
    return executed("bias", op, signature).value_or(0);
}

// The kernels that fully connected layers of one image and poolings launch under every algorithm.
std::optional<double> common(const Op& op, const Signature& signature) {
    if (const auto vector = executed("gemv", op, signature)) {
        return *vector + executed_bias(op, signature);
    }
    return executed("pooling", op, signature);
}

bool decided(const std::optional<double>& count, Flops& flops) {
    flops = Flops{count.value_or(0)};
    return count.has_value();
}

// Products of a pass per forward product: with two activation operands, both have a
// gradient.
double repeated(const Op& op, const Signature& signature, Pass pass) {
    if (!std::holds_alternative<MatMul>(op)) {
        return 1;
    }
    return work_of(op, signature, pass).operations.multiply_adds /
           work_of(op, signature, Pass::forward).operations.multiply_adds;
}

}  // namespace

bool executed_gemm(const Op& op, const Signature& signature, Pass pass, Flops& flops) {
    if (pass != Pass::forward || decided(common(op, signature), flops)) {
        return pass == Pass::forward;
    }
    const auto product = implicit_product(op, signature);
    if (product) {
        flops = Flops{operations_in_tiles(*product, tile_128x64, 2) + executed_bias(op, signature)};
    }
    return product.has_value();
}

bool executed_gemm_64(const Op& op, const Signature& signature, Pass pass, Flops& flops) {
    if (pass != Pass::forward || decided(common(op, signature), flops)) {
        return pass == Pass::forward;
    }
    const auto product = implicit_product(op, signature);
    if (product) {
        flops = Flops{operations_in_tiles(*product, tile_64x64, 0) + product->outputs() +
                      executed_bias(op, signature)};
    }
    return product.has_value();
}

bool executed_sgemm(const Op& op, const Signature& signature, Pass pass, Flops& flops) {
    const auto products = library_products(op, signature);
    if (products.empty() || pass == Pass::update || !has_pass(op, signature, pass)) {
        return false;
    }
    double sum = 0;
    for (const Product& product : products) {
        sum += operations_in_tiles(product, tile_128x128, 1);
    }
    flops = Flops{sum * repeated(op, signature, pass)};
    return true;
}

bool executed_winograd(const Op& op, const Signature& signature, Pass pass, Flops& flops) {
    const auto tiles = executed("winograd-tile", op, signature);
    if (pass != Pass::forward || !tiles) {
        return executed_gemm(op, signature, pass, flops);
    }
    flops =
        Flops{*tiles + *executed("winograd-filter", op, signature) + executed_bias(op, signature)};
    return true;
}

}  // namespace strata
