// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/fft_filters.h"

#include <algorithm>

namespace strata::cpu {

void load_filters(const Geometry& g, const float* filters, FilterRole role,
                  const FilterLanes& lanes, const FftExtents& extents, float scale, float* part) {
    std::fill_n(part, extents.part_floats(), 0.0F);
    const bool is_forward = role == FilterRole::forward;
    for (std::size_t lane = 0; lane < lanes.results; ++lane) {
        const std::size_t result = lanes.first_result + lane;
        const std::size_t output = is_forward ? result : lanes.source;
        const std::size_t input = is_forward ? lanes.source : result;
        const float* filter = filters + (output * g.inputs + input) * g.taps();
        for (std::size_t tap = 0; tap < g.taps(); ++tap) {
            const std::size_t r = tap / g.kernel_width, s = tap % g.kernel_width;
            const std::size_t h = (extents.height - r) % extents.height;
            const std::size_t w = (extents.width - s) % extents.width;
            part[(h * extents.pitch() + w) * fft_lanes + lane] =
                scale * filter[is_forward ? tap : g.taps() - 1 - tap];
        }
    }
}

void store_filters(const Geometry& g, const FilterLanes& lanes, const FftExtents& extents,
                   float scale, const float* part, float* filters) {
    for (std::size_t lane = 0; lane < lanes.results; ++lane) {
        float* filter =
            filters + ((lanes.first_result + lane) * g.inputs + lanes.source) * g.taps();
        for (std::size_t tap = 0; tap < g.taps(); ++tap) {
            const std::size_t r = tap / g.kernel_width, s = tap % g.kernel_width;
            filter[tap] = scale * part[(r * extents.pitch() + s) * fft_lanes + lane];
        }
    }
}

}  // namespace strata::cpu
