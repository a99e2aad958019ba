// SPDX-License-Identifier: MIT
#include "op/convention/executed.h"

#include "op/convention/executed_kernels.h"
#include "op/convention/tiled_product.h"

namespace strata {

namespace {

std::optional<double> executed(std::string_view kernel, const Op& op, const Signature& signature) {
    return find_executed_kernel(kernel).count(op, signature);
}

double executed_bias(const Op& op, const Signature& signature) {
    return executed("bias", op, signature).value_or(0);
}

// What fully connected layers of one image and poolings launch under all algorithms.
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

// Products that a pass consists of for each of the forward pass: of two activations both have a
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
