// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace strata::cpu {

// The points over which a gradient of weights is summed: rows and columns of some images.
struct PointBlock {
    std::size_t images = 0;
    std::size_t rows = 0;
    std::size_t columns = 0;
};

// The part of x that the filters see: the element (row i, point (n, p, q)) of the matrix [C R
// S][points] is at data[offsets[i] + n * image + p * row + q], so the matrix is never stored.
struct SeenElements {
    const float* data = nullptr;
    const std::ptrdiff_t* offsets = nullptr;
    std::ptrdiff_t image = 0;
    std::ptrdiff_t row = 0;
};

// A matrix [points][outputs] in registers' widths: the next point is `point` floats ahead, the next
// vector `vector` floats, the next image `image` floats. The data of these outputs that is read
// next is `ahead` floats after each vector and is prefetched; 0 if it is in a cache.
struct OutputVectors {
    const float* data = nullptr;
    std::ptrdiff_t image = 0;
    std::ptrdiff_t point = 0;
    std::ptrdiff_t vector = 0;
    std::ptrdiff_t ahead = 0;
};

// Floats of a register, and how many of them a tile is wide.
std::size_t vector_floats();
std::size_t tile_vectors();

// sums[rows][outputs] += x[rows][points] y[points][outputs], with the outputs of `vectors`
// registers, at most tile_vectors(). The rows of `sums` are `sums_row` floats apart.
void add_weight_sums(const PointBlock& block, std::size_t rows, std::size_t vectors,
                     const SeenElements& x, const OutputVectors& y, float* sums,
                     std::size_t sums_row);

}  // namespace strata::cpu
