// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/gather.h"

#include "backend/cpu/kernels/isa.h"

#include <algorithm>
#include <cstring>

namespace strata::cpu {

namespace {

std::ptrdiff_t offset(std::size_t count) {
    return static_cast<std::ptrdiff_t>(count);
}

// Points of one row of a grid under one tap: `before` of them left of the plane, `inside` from
// `start` on, `after` right of it.
struct Segment {
    std::size_t before = 0;
    std::size_t inside = 0;
    std::size_t after = 0;
    std::ptrdiff_t start = 0;  // of the first one inside, in floats from the plane's start
};

// The first j >= 0 with j * step + shift >= bound.
std::ptrdiff_t first_at(std::ptrdiff_t bound, std::ptrdiff_t shift, std::ptrdiff_t step) {
    return std::max<std::ptrdiff_t>(0, (bound - shift + step - 1) / step);
}

// Of the points 0 .. count, those at which the plane begins and ends.
struct Inside {
    std::size_t begin = 0;
    std::size_t end = 0;
};
Inside inside_of(std::size_t count, std::ptrdiff_t step, std::ptrdiff_t shift, std::size_t extent) {
    const auto limit = [&](std::ptrdiff_t bound) {
        return std::min(count, static_cast<std::size_t>(first_at(bound, shift, step)));
    };
    return {limit(0), std::max(limit(0), limit(offset(extent)))};
}

Segment segment_of(const ImageView& view, const Grid& grid, const Tap& tap, std::size_t i,
                   std::size_t j, std::size_t count) {
    const std::ptrdiff_t h = offset(i) * grid.row_step + tap.row;
    if (h < 0 || h >= offset(view.height)) {
        return {.before = count};
    }
    const std::ptrdiff_t shift = tap.column + offset(j) * grid.column_step;
    const auto [begin, end] = inside_of(count, grid.column_step, shift, view.width);
    return {begin, end - begin, count - end,
            h * view.row + (shift + offset(begin) * grid.column_step) * view.column};
}

// One segment of channels, `lane` floats apart.
struct Run {
    std::size_t channels = 0;
    std::ptrdiff_t lane = 0;
    std::size_t count = 0;
    std::ptrdiff_t step = 0;  // from element to element of the plane
    std::size_t row = 0;      // from channel to channel of the matrix
};

// The inner loop is over channels if they share a cache line.
STRATA_EACH_ISA void copy_lanes(const Run& run, const float* from, float* to) {
    for (std::size_t k = 0; k < run.count; ++k, from += run.step) {
        for (std::size_t c = 0; c < run.channels; ++c) {
            to[c * run.row + k] = from[c];
        }
    }
}

// A stride known to the compiler becomes a permutation of registers.
template <int step>
[[gnu::always_inline]] inline void copy_every(const Run& run, const float* from, float* to) {
#pragma GCC ivdep
    for (std::size_t k = 0; k < run.count; ++k) {
        to[k] = from[offset(k) * (step > 0 ? step : run.step)];
    }
}

STRATA_EACH_ISA void copy_strided(const Run& run, const float* from, float* to) {
    for (std::size_t c = 0; c < run.channels; ++c, from += run.lane, to += run.row) {
        if (run.step == 2) {
            copy_every<2>(run, from, to);
        } else if (run.step == 4) {
            copy_every<4>(run, from, to);
        } else {
            copy_every<0>(run, from, to);
        }
    }
}

void copy_run(const Run& run, const float* from, float* to) {
    if (run.count == 0) {
        return;
    }
    if (run.lane == 1 && run.channels > 1) {
        copy_lanes(run, from, to);
    } else if (run.step != 1) {
        copy_strided(run, from, to);
    } else {
        for (std::size_t c = 0; c < run.channels; ++c, from += run.lane, to += run.row) {
            std::memcpy(to, from, run.count * sizeof(float));
        }
    }
}

STRATA_EACH_ISA void add_run(const Run& run, const float* from, float* to) {
    for (std::size_t c = 0; c < run.channels; ++c, from += run.row, to += run.lane) {
        for (std::size_t k = 0; k < run.count; ++k) {
            to[offset(k) * run.step] += from[k];
        }
    }
}

void clear_run(std::size_t channels, std::size_t count, std::size_t row, float* to) {
    for (std::size_t c = 0; count > 0 && c < channels; ++c, to += row) {
        std::fill(to, to + count, 0.0F);
    }
}

// Calls visit(segment, column of the matrix) for each row of the grid that has some of the points.
template <class Visit>
void for_segments(const ImageView& view, const Grid& grid, const Tap& tap, PointRange points,
                  Visit&& visit) {
    for (std::size_t done = 0; done < points.count;) {
        const std::size_t at = points.first + done;
        const std::size_t j = at % grid.columns;
        const std::size_t count = std::min(points.count - done, grid.columns - j);
        visit(segment_of(view, grid, tap, at / grid.columns, j, count), done);
        done += count;
    }
}

// The channels whose row of this tap lies within the range.
ChannelRange channels_under(std::size_t tap, std::size_t taps, DepthRange depth) {
    const auto below = [&](std::size_t bound) {
        return bound > tap ? (bound - tap + taps - 1) / taps : 0;
    };
    const std::size_t first = below(depth.first);
    return {first, below(depth.first + depth.count) - first};
}

// Calls visit(first channel, count) for each block of channels.
template <class Visit>
void for_channel_blocks(const ImageView& view, ChannelRange channels, Visit&& visit) {
    for (std::size_t c = channels.first; c < channels.first + channels.count;) {
        const std::size_t count =
            std::min(channels.first + channels.count - c, view.block - c % view.block);
        visit(c, count);
        c += count;
    }
}

}  // namespace

Grid forward_grid(const Geometry& g) {
    Grid grid = {g.out_height, g.out_width, g.stride_height, g.stride_width, {}};
    for (std::size_t r = 0; r < g.kernel_height; ++r) {
        for (std::size_t s = 0; s < g.kernel_width; ++s) {
            grid.taps.push_back({offset(r) * g.dilation_height - g.pad_top,
                                 offset(s) * g.dilation_width - g.pad_left});
        }
    }
    return grid;
}

std::size_t points_inside(const Grid& grid, const Tap& tap, std::size_t height, std::size_t width) {
    const Inside rows = inside_of(grid.rows, grid.row_step, tap.row, height);
    const Inside columns = inside_of(grid.columns, grid.column_step, tap.column, width);
    return (rows.end - rows.begin) * (columns.end - columns.begin);
}

void gather(const GatheredImage& image, const Grid& grid, DepthRange depth, PointRange points,
            float* panel, std::size_t panel_row) {
    const ImageView& view = image.view;
    const std::size_t taps = grid.taps.size();
    for (std::size_t t = 0; t < taps; ++t) {
        ChannelRange channels = channels_under(t, taps, depth);
        float* rows = panel + (channels.first * taps + t - depth.first) * panel_row;
        channels.first += image.first_channel;
        for_segments(view, grid, grid.taps[t], points, [&](const Segment& segment, std::size_t at) {
            for_channel_blocks(view, channels, [&](std::size_t c, std::size_t count) {
                float* to = rows + (c - channels.first) * taps * panel_row + at;
                const std::size_t row = taps * panel_row;
                clear_run(count, segment.before, row, to);
                copy_run({count, view.lane, segment.inside, grid.column_step * view.column, row},
                         view.plane(image.n, c) + segment.start, to + segment.before);
                clear_run(count, segment.after, row, to + segment.before + segment.inside);
            });
        });
    }
}

void scatter_add(const ImageView& view, std::size_t n, ChannelRange channels, const Grid& grid,
                 const float* matrix, std::size_t row) {
    const std::size_t taps = grid.taps.size();
    for (std::size_t t = 0; t < taps; ++t) {
        const auto add = [&](const Segment& segment, std::size_t at) {
            for_channel_blocks(view, channels, [&](std::size_t c, std::size_t count) {
                const float* from =
                    matrix + ((c - channels.first) * taps + t) * row + at + segment.before;
                add_run(
                    {count, view.lane, segment.inside, grid.column_step * view.column, taps * row},
                    from, view.plane(n, c) + segment.start);
            });
        };
        for_segments(view, grid, grid.taps[t], {0, grid.points()}, add);
    }
}

}  // namespace strata::cpu
