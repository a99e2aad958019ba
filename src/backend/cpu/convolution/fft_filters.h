// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/fft_plan.h"
#include "backend/cpu/convolution/geometry.h"

#include <cstddef>

namespace strata::cpu {

// A group's filters as tiles: 16 lanes are filters of neighbouring results under one source
// channel. In the forward pass sources are inputs and results are outputs; in the backward-data
// pass they are exchanged, and the filters rotated by 180 degrees.
enum class FilterRole { forward, backward_data };

struct FilterLanes {
    std::size_t source = 0;
    std::size_t first_result = 0;
    std::size_t results = 0;  // up to 16
};

// Writes one part of a tile: the filters, times `scale`, at the negative places, so that products
// of spectra give correlations; zeros elsewhere.
void load_filters(const Geometry& geometry, const float* filters, FilterRole role,
                  const FilterLanes& lanes, const FftExtents& extents, float scale, float* part);

// Stores the filters at the positive places of one part, times `scale`, to a group's gradients.
void store_filters(const Geometry& geometry, const FilterLanes& lanes, const FftExtents& extents,
                   float scale, const float* part, float* filters);

}  // namespace strata::cpu
