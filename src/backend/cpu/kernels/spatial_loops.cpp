// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/spatial_loops.h"

#include "backend/cpu/kernels/isa.h"

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

// y[i] += weight * x[i]
STRATA_EACH_ISA void add(float weight, const float* x, float* y, Index count) {
#pragma GCC ivdep
    for (Index i = 0; i < count; ++i) {
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
            use((d.position * height.input + h.position) * width.input,
                static_cast<float>(d.weight * h.weight));
        }
    }
}

// Calls use(input position, output position, weight) for each tap along the last axis.
template <class Use>
void for_each_tap(const WeightedAxis& width, Use&& use) {
    for (Index o = 0; o < width.output; ++o) {
        for (const InterpolationTap& tap : taps_of(width, o)) {
            use(tap.position, o, static_cast<float>(tap.weight));
        }
    }
}

// y = the sums along the last axis. A single element at each position needs no inner loop.
void row_sums(const WeightedAxis& width, const float* x, float* y, Index inner) {
    std::fill_n(y, width.output * inner, 0.0F);
    if (inner == 1) {
        return for_each_tap(width, [=](Index i, Index o, float weight) { y[o] += weight * x[i]; });
    }
    for_each_tap(width, [=](Index i, Index o, float weight) {
        add(weight, x + i * inner, y + o * inner, inner);
    });
}

void row_sums_gradient(const WeightedAxis& width, const float* dy, float* dx, Index inner) {
    std::fill_n(dx, width.input * inner, 0.0F);
    if (inner == 1) {
        return for_each_tap(width,
                            [=](Index i, Index o, float weight) { dx[i] += weight * dy[o]; });
    }
    for_each_tap(width, [=](Index i, Index o, float weight) {
        add(weight, dy + o * inner, dx + i * inner, inner);
    });
}

// Makes `count` axes, the last ones of depth, height and width.
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

// First adds up the contributing rows, then sums that one row along the last axis.
void spatial_sums(const WeightedAxes& axes, Index outer, Index inner, const float* x, float* y) {
    const auto& [depth, height, width] = axes;
    const Index rows = depth.output * height.output, length = width.input * inner;
    const Index image = depth.input * height.input * length;
#pragma omp parallel
    {
        std::vector<float> row_sum(static_cast<std::size_t>(length));
#pragma omp for collapse(2) schedule(static)
        for (Index n = 0; n < outer; ++n) {
            for (Index row = 0; row < rows; ++row) {
                std::ranges::fill(row_sum, 0.0F);
                for_each_row(axes, row, [&](Index from, float weight) {
                    add(weight, x + n * image + from * inner, row_sum.data(), length);
                });
                row_sums(axes[2], row_sum.data(), y + (n * rows + row) * axes[2].output * inner,
                         inner);
            }
        }
    }
}

void spatial_sums_gradient(const WeightedAxes& axes, Index outer, Index inner, const float* dy,
                           float* dx) {
    const auto& [depth, height, width] = axes;
    const Index rows = depth.output * height.output, length = width.input * inner;
    const Index image = depth.input * height.input * length;
#pragma omp parallel
    {
        std::vector<float> row_sum(static_cast<std::size_t>(length));
#pragma omp for schedule(static)
        for (Index n = 0; n < outer; ++n) {
            std::fill_n(dx + n * image, image, 0.0F);
            for (Index row = 0; row < rows; ++row) {
                row_sums_gradient(axes[2], dy + (n * rows + row) * axes[2].output * inner,
                                  row_sum.data(), inner);
                for_each_row(axes, row, [&](Index to, float weight) {
                    add(weight, row_sum.data(), dx + n * image + to * inner, length);
                });
            }
        }
    }
}

}  // namespace strata::cpu
