// SPDX-License-Identifier: MIT
#include "op/convention/tiled_product.h"

#include "op/convention/convolution_extents.h"
#include "op/operations.h"

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

// The last two axes, for each of the others.
Product matrix_product(const Op& matmul, const Signature& signature) {
    const Tensor& y = signature.outputs[0];
    const auto columns = static_cast<double>(y.dims.back());
    const auto rows = static_cast<double>(y.dims[y.dims.size() - 2]);
    const double multiply_adds = work_of(matmul, signature, Pass::forward).operations.multiply_adds;
    return {rows, columns, multiply_adds / count_of(y), count_of(y) / (rows * columns)};
}

// A step of each layer and direction: N x (input + state) times the weights of all gates, over the
// sequence. The weights of the input stand before those of the state.
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

}  // namespace strata
