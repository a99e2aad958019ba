// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/spatial_loops.h"

#include <algorithm>

namespace strata::cpu {

namespace {

using Index = std::int64_t;

std::span<const InterpolationTap> taps_of(const WeightedAxis& axis, Index output) {
    const auto at = static_cast<std::size_t>(output);
    return std::span(axis.taps).subspan(axis.starts[at], axis.starts[at + 1] - axis.starts[at]);
}

WeightedAxis averaging_axis(const Window& window, std::size_t axis, Index input, Index output,
                            bool counts_pad) {
    WeightedAxis result = {.input = input, .output = output, .starts = {0}, .taps = {}};
    const Index begin = window.pad_begin[axis], end = input + window.pad_end[axis];
    for (Index o = 0; o < output; ++o) {
        const Index first = o * window.stride[axis] - begin;
        Index counted = 0;
        for (Index tap = 0; tap < window.kernel[axis]; ++tap) {
            const Index at = first + tap * window.dilation[axis];
            const bool is_inside = at >= 0 && at < input;
            counted += is_inside || (counts_pad && at < end) ? 1 : 0;
            if (is_inside) {
                result.taps.push_back({at, 1});
            }
        }
        for (std::size_t i = result.starts.back(); i < result.taps.size(); ++i) {
            result.taps[i].weight = 1 / static_cast<double>(counted);
        }
        result.starts.push_back(result.taps.size());
    }
    return result;
}

// y[i] += weight * x[i]. The case of one element per position gets its own loop for the compiler.
void add(float weight, const float* x, float* y, Index inner) {
    for (Index i = 0; i < inner; ++i) {
        y[i] += weight * x[i];
    }
}

// Calls use(offset, weight) for each input row along the last axis that contributes to output row
// `row`.
template <class Use>
void for_each_row(const WeightedAxes& axes, Index row, Use&& use) {
    const auto& [depth, height, width] = axes;
    for (const InterpolationTap& d : taps_of(depth, row / height.output)) {
        for (const InterpolationTap& h : taps_of(height, row % height.output)) {
            use((d.position * height.input + h.position) * width.input, d.weight * h.weight);
        }
    }
}

void row_sums(const WeightedAxis& width, double weight, const float* x, float* y, Index inner) {
    for (Index o = 0; o < width.output; ++o) {
        for (const InterpolationTap& tap : taps_of(width, o)) {
            add(static_cast<float>(weight * tap.weight), x + tap.position * inner, y + o * inner,
                inner);
        }
    }
}

void row_sums_gradient(const WeightedAxis& width, double weight, const float* dy, float* dx,
                       Index inner) {
    for (Index o = 0; o < width.output; ++o) {
        for (const InterpolationTap& tap : taps_of(width, o)) {
            add(static_cast<float>(weight * tap.weight), dy + o * inner, dx + tap.position * inner,
                inner);
        }
    }
}

// Makes `count` axes as the last of depth, height and width.
template <class Make>
WeightedAxes last_axes(std::size_t count, Make&& make) {
    WeightedAxes axes;
    for (std::size_t i = 0; i < count; ++i) {
        axes[3 - count + i] = make(i);
    }
    return axes;
}

}  // namespace

WeightedAxes weighted_axes(const Resize& op, const Tensor& input) {
    auto all = interpolation_axes(op, input);
    return last_axes(all.size(), [&](std::size_t i) {
        WeightedAxis axis = {.input = all[i].input,
                             .output = all[i].output,
                             .starts = {0},
                             .taps = std::move(all[i].taps)};
        for (Index o = 0; o < axis.output; ++o) {
            axis.starts.push_back(axis.starts.back() + all[i].each);
        }
        return axis;
    });
}

WeightedAxes weighted_axes(const Pooling& op, const Tensor& input, const Tensor& output) {
    const Window window = window_of(op, input);
    return last_axes(window.kernel.size(), [&](std::size_t i) {
        return averaging_axis(window, i, input.dims[i + 2], output.dims[i + 2],
                              op.count_include_pad);
    });
}

void spatial_sums(const WeightedAxes& axes, Index outer, Index inner, const float* x, float* y) {
    const auto& [depth, height, width] = axes;
    const Index rows = depth.output * height.output, length = width.output * inner;
    const Index image = depth.input * height.input * width.input * inner;
#pragma omp parallel for collapse(2) schedule(static)
    for (Index n = 0; n < outer; ++n) {
        for (Index row = 0; row < rows; ++row) {
            float* to = y + (n * rows + row) * length;
            std::fill_n(to, length, 0.0F);
            for_each_row(axes, row, [&](Index from, double weight) {
                row_sums(axes[2], weight, x + n * image + from * inner, to, inner);
            });
        }
    }
}

void spatial_sums_gradient(const WeightedAxes& axes, Index outer, Index inner, const float* dy,
                           float* dx) {
    const auto& [depth, height, width] = axes;
    const Index rows = depth.output * height.output, length = width.output * inner;
    const Index image = depth.input * height.input * width.input * inner;
#pragma omp parallel for schedule(static)
    for (Index n = 0; n < outer; ++n) {
        std::fill_n(dx + n * image, image, 0.0F);
        for (Index row = 0; row < rows; ++row) {
            const float* from = dy + (n * rows + row) * length;
            for_each_row(axes, row, [&](Index to, double weight) {
                row_sums_gradient(axes[2], weight, from, dx + n * image + to * inner, inner);
            });
        }
    }
}

}  // namespace strata::cpu
