// SPDX-License-Identifier: MIT
#pragma once

#include "op/op.h"

#include <optional>
#include <vector>

namespace strata {

// A matrix product, M x K times K x N, `copies` times over.
struct Product {
    double m = 0;
    double n = 0;
    double k = 0;
    double copies = 1;

    double outputs() const { return copies * m * n; }
};

// Rows and columns of a kernel's block and its step along K.
struct Tile {
    double m = 0;
    double n = 0;
    double k = 0;
};

inline constexpr Tile tile_128x128 = {128, 128, 1};
inline constexpr Tile tile_128x64 = {128, 64, 4};
inline constexpr Tile tile_64x64 = {64, 64, 4};

double rounded_up(double value, double multiple);

// Operations of a product whose extents are filled up to whole tiles, and `each_output` for each of
// the outputs filled up: 2 Mp Np Kp + e Mp Np.
double operations_in_tiles(const Product& product, const Tile& tile, double each_output);

// A convolution as the implicit product of its patches with its filters, by group, or a fully
// connected layer; nothing for the others.
std::optional<Product> implicit_product(const Op& op, const Signature& signature);

// The matrix products of a forward pass: those of a fully connected layer, of a matrix product, and
// of the steps of recurrent cells, whose gates are one product of input and state. None for the
// others.
std::vector<Product> library_products(const Op& op, const Signature& signature);

}  // namespace strata
