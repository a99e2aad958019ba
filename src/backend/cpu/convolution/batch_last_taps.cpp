// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/batch_last_taps.h"

namespace strata::cpu::batch_last {

Axis rows_of(const Geometry& g) {
    return {index_of(g.height), index_of(g.out_height), index_of(g.kernel_height),
            g.stride_height,    g.dilation_height,      g.pad_top};
}
Axis columns_of(const Geometry& g) {
    return {index_of(g.width), index_of(g.out_width), index_of(g.kernel_width),
            g.stride_width,    g.dilation_width,      g.pad_left};
}

std::vector<AxisTaps> forward_taps(const Axis& axis) {
    AxisTaps all = {.count = axis.results, .scale = axis.stride};
    for (Index tap = 0; tap < axis.kernel; ++tap) {
        all.taps.push_back(tap);
        all.offsets.push_back(tap * axis.dilation - axis.pad);
    }
    return {all};
}

std::vector<AxisTaps> data_taps(const Axis& axis) {
    std::vector<AxisTaps> phases;
    for (Index first = 0; first < std::min(axis.stride, axis.extent); ++first) {
        AxisTaps phase = {.first = first,
                          .step = axis.stride,
                          .count = (axis.extent - first + axis.stride - 1) / axis.stride};
        for (Index tap = 0; tap < axis.kernel; ++tap) {
            const Index distance = first + axis.pad - tap * axis.dilation;
            if (distance % axis.stride == 0) {
                phase.taps.push_back(tap);
                phase.offsets.push_back(distance / axis.stride);
            }
        }
        phases.push_back(std::move(phase));
    }
    return phases;
}

}  // namespace strata::cpu::batch_last
