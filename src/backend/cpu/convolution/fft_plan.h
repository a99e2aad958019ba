// SPDX-License-Identifier: MIT
#pragma once

#include "op/work.h"

#include <cstddef>

namespace strata::cpu {

// Transforms of tiles [height, width] of complex numbers, `fft_lanes` of them at a time: element
// (h, w) of lane l is at [(h * pitch() + w) * fft_lanes + l], real and imaginary parts in two
// arrays, the second directly after the first. So the library vectorises across the lanes.
inline constexpr std::size_t fft_lanes = 16;

struct FftExtents {
    std::size_t height = 0;
    std::size_t width = 0;

    std::size_t elements() const { return height * width; }
    // The length of a row: an odd number of cache lines, so that a column does not fall into few
    // cache sets.
    std::size_t pitch() const { return width | 1U; }
    std::size_t part_floats() const { return height * pitch() * fft_lanes; }
    std::size_t floats() const { return 2 * part_floats(); }
    // Frequencies (u, v) with v up to width / 2: the others of a real tile are their conjugates.
    std::size_t half_width() const { return width / 2 + 1; }
    std::size_t frequencies() const { return height * half_width(); }
    auto operator<=>(const FftExtents&) const = default;
};

// Rows of a tile, from the last one on to the first.
struct TileRows {
    std::size_t first = 0;
    std::size_t count = 0;
};

// In place and unscaled. Prepared and measured (FFTW_MEASURE) once per process for each size; may
// be run by many threads at once, on arrays aligned to 64 bytes.
class FftPlan {
public:
    // Throws Refusal if strata was built without FFTW.
    static const FftPlan& of(const FftExtents& extents);

    // The transform of a tile whose other rows are zeros, and the inverse transform of these rows
    // only.
    void forward(float* tile, const TileRows& nonzero) const;
    void backward(float* tile, const TileRows& needed) const;
    // For a transform of all lanes with this many rows, as the library counts without vectors.
    Operations operations(std::size_t rows) const;

    FftPlan(const FftPlan&) = delete;
    FftPlan& operator=(const FftPlan&) = delete;

private:
    // One row, or all columns.
    struct Axis {
        void* forward = nullptr;
        void* backward = nullptr;
        Operations operations;
    };
    explicit FftPlan(const FftExtents& extents);

    FftExtents extents_;
    Axis row_;
    Axis columns_;
};

// The smallest product of powers of 2, 3, 5 and 7 that is at least `minimum`.
std::size_t fast_fft_size(std::size_t minimum);

}  // namespace strata::cpu
