// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/fft_plan.h"
#include "backend/cpu/convolution/image.h"

#include <cstddef>

namespace strata::cpu {

// Converts between images, tiles of complex numbers (fft_plan.h), and spectra: matrices of complex
// numbers, one for each frequency.
//
// Two real tiles are transformed as one, the second as imaginary part. A convolution with real
// filters treats both alike, so nothing has to be separated: Z(f) of the pair and conj Z(-f) are
// two rows of one matrix, and half of the frequencies contain everything.

// Tiles over the planes of images, `rows` x `columns` of them an image: tile (i, j) begins at
// element (i * step.height - lead_height, j * step.width - lead_width) and has `extent` elements of
// the plane, zeros elsewhere.
struct TileGrid {
    std::size_t rows = 0;
    std::size_t columns = 0;
    FftExtents step;
    FftExtents extent;
    std::ptrdiff_t lead_height = 0;
    std::ptrdiff_t lead_width = 0;

    std::size_t tiles() const { return rows * columns; }
};

// A tile of up to 16 channels of one image, into or out of one part of a tile.
struct ImageTile {
    std::size_t number = 0;  // counted over all images
    ChannelRange channels;
};
void load_tile(const ImageView& view, const TileGrid& grid, const ImageTile& tile,
               const FftExtents& extents, float* part);
void store_tile(const ImageView& view, const TileGrid& grid, const ImageTile& tile,
                const FftExtents& extents, const float* part);

// Two rows of 16 elements in the matrices of all frequencies. Each matrix is `step` floats after
// that of the previous frequency, and consists of `planes` real ones, `plane` floats apart.
struct SpectrumRows {
    float* data = nullptr;
    std::size_t row = 0;
    std::size_t plane = 0;
    std::size_t step = 0;
};

// The rows Z(f) and conj Z(-f), real and imaginary parts.
void store_pair(const float* tile, const FftExtents& extents, const SpectrumRows& to);
void load_pair(const SpectrumRows& from, const FftExtents& extents, float* tile);

// The same rows as right matrix (ComplexRight) of their conjugates.
void store_conjugate_right_pair(const float* tile, const FftExtents& extents,
                                const SpectrumRows& to);

// The spectra of the pair's two real tiles, as right matrix.
void store_separate_right(const float* tile, const FftExtents& extents, const SpectrumRows& to);

// The pair of two real tiles' spectra, real and imaginary parts.
void load_separate(const SpectrumRows& from, const FftExtents& extents, float* tile);

}  // namespace strata::cpu
