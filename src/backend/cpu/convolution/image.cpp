// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/image.h"

#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/small_gemm.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace strata::cpu {

namespace {

std::ptrdiff_t signed_of(std::size_t count) {
    return static_cast<std::ptrdiff_t>(count);
}

// A transposition between rows of a matrix and adjacent lanes of a block. The inner loop is over
// lanes, because they share a cache line.
struct Lanes {
    std::size_t lanes = 0;
    std::size_t points = 0;
    std::ptrdiff_t column = 0;
    std::size_t row = 0;
};

STRATA_EACH_ISA void lanes_to_rows(const Lanes& l, const float* image, float* matrix) {
    for (std::size_t point = 0; point < l.points; ++point, image += l.column) {
        for (std::size_t lane = 0; lane < l.lanes; ++lane) {
            matrix[lane * l.row + point] = image[lane];
        }
    }
}

STRATA_EACH_ISA void rows_to_lanes(const Lanes& l, const float* matrix, float* image) {
    for (std::size_t point = 0; point < l.points; ++point, image += l.column) {
        for (std::size_t lane = 0; lane < l.lanes; ++lane) {
            image[lane] = matrix[lane * l.row + point];
        }
    }
}

// NaN stays NaN.
float lower_bound_of(const Finish& finish) {
    return finish.relu ? 0.0F : -std::numeric_limits<float>::infinity();
}

// Bias and addend are those of the first lane.
STRATA_EACH_ISA void finish_to_lanes(const Lanes& l, const Finish& finish, const float* matrix,
                                     float* image) {
    const float lower_bound = lower_bound_of(finish);
    const float* addend = finish.addend;
    for (std::size_t point = 0; point < l.points; ++point, image += l.column) {
#pragma GCC ivdep
        for (std::size_t lane = 0; lane < l.lanes; ++lane) {
            float sum = matrix[lane * l.row + point];
            sum += finish.bias != nullptr ? finish.bias[lane] : 0.0F;
            sum += addend != nullptr ? addend[lane] : 0.0F;
            image[lane] = lower_bound > sum ? lower_bound : sum;
        }
        addend += addend != nullptr ? l.column : 0;
    }
}

STRATA_EACH_ISA void finish_row(const Finish& finish, std::size_t count, const float* matrix,
                                float* image) {
    const float bias = finish.bias != nullptr ? *finish.bias : 0.0F,
                lower_bound = lower_bound_of(finish);
    const float* addend = finish.addend;
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
        const float sum = matrix[i] + bias + (addend != nullptr ? addend[i] : 0.0F);
        image[i] = lower_bound > sum ? lower_bound : sum;
    }
}

// `finish` for a channel and a place in its plane.
Finish finish_at(const Finish& finish, std::size_t channel, std::ptrdiff_t place) {
    return {finish.bias != nullptr ? finish.bias + channel : nullptr,
            finish.addend != nullptr ? finish.addend + place : nullptr, finish.relu};
}

// Calls run(plane of the first channel, channels, matrix row) for channels that share a block.
template <class Run>
void for_blocks(const ImageView& view, std::size_t n, ChannelRange channels, Run&& run) {
    for (std::size_t done = 0; done < channels.count;) {
        const std::size_t channel = channels.first + done;
        const std::size_t count =
            std::min(channels.count - done, view.block - channel % view.block);
        run(view.plane(n, channel), count, done);
        done += count;
    }
}

}  // namespace

ImageView image_view(float* data, const Dims& dims, ImageOrder order) {
    const bool is_line = dims.size() == 3;
    ImageView view = {.data = data,
                      .images = static_cast<std::size_t>(dims[0]),
                      .channels = static_cast<std::size_t>(dims[1]),
                      .height = is_line ? 1 : static_cast<std::size_t>(dims[2]),
                      .width = static_cast<std::size_t>(dims.back())};
    const std::size_t plane = view.height * view.width;
    if (order == ImageOrder::nchw || order == ImageOrder::nhwc) {
        const bool is_plain = order == ImageOrder::nchw;
        view.block = view.channels;
        view.lane = is_plain ? signed_of(plane) : 1;
        view.column = is_plain ? 1 : signed_of(view.channels);
    } else if (order == ImageOrder::chwn) {
        view.block = view.channels;
        view.column = signed_of(view.images);
        view.lane = view.column * signed_of(plane);
    } else {
        view.block = order == ImageOrder::nchw8c ? 8 : 16;
        view.lane = 1;
        view.column = signed_of(view.block);
    }
    view.row = view.column * signed_of(view.width);
    view.block_step = signed_of(view.block * plane);
    view.image =
        order == ImageOrder::chwn ? 1 : signed_of(round_up(view.channels, view.block) * plane);
    return view;
}

void clear_filling(const ImageView& view) {
    const std::size_t used = view.channels % view.block;
    if (used == 0) {
        return;
    }
    const std::size_t points = view.height * view.width;
#pragma omp parallel for schedule(static)
    for (std::size_t n = 0; n < view.images; ++n) {
        float* out = view.plane(n, view.channels - used);
        for (std::size_t point = 0; point < points; ++point, out += view.block) {
            std::fill(out + used, out + view.block, 0.0F);
        }
    }
}

void clear_channels(const ImageView& view, std::size_t n, ChannelRange channels) {
    const std::size_t points = view.height * view.width;
    for (std::size_t c = channels.first; c < channels.first + channels.count; ++c) {
        float* out = view.plane(n, c);
        for (std::size_t point = 0; point < points; ++point, out += view.column) {
            *out = 0;
        }
    }
}

void copy_from_image(const ImageView& view, std::size_t n, ChannelRange channels, PointRange points,
                     float* matrix, std::size_t row) {
    const std::ptrdiff_t start = signed_of(points.first) * view.column;
    for_blocks(view, n, channels, [&](const float* from, std::size_t count, std::size_t done) {
        if (!view.is_plain()) {
            lanes_to_rows({count, points.count, view.column, row}, from + start,
                          matrix + done * row);
            return;
        }
        for (std::size_t i = 0; i < count; ++i) {
            std::memcpy(matrix + (done + i) * row, from + start + signed_of(i) * view.lane,
                        points.count * sizeof(float));
        }
    });
}

void copy_to_image(const ImageView& view, std::size_t n, ChannelRange channels, PointRange points,
                   const float* matrix, std::size_t row, const Finish& finish) {
    const std::ptrdiff_t start = signed_of(points.first) * view.column;
    for_blocks(view, n, channels, [&](float* plane, std::size_t count, std::size_t done) {
        const std::size_t channel = channels.first + done;
        const auto finish_from = [&](std::size_t first, const float* to) {
            return finish_at(finish, channel + first, to - view.data);
        };
        float* to = plane + start;
        const float* from = matrix + done * row;
        if (!view.is_plain()) {
            const Lanes lanes = {count, points.count, view.column, row};
            finish.is_needed() ? finish_to_lanes(lanes, finish_from(0, to), from, to)
                               : rows_to_lanes(lanes, from, to);
            return;
        }
        for (std::size_t i = 0; i < count; ++i, to += view.lane, from += row) {
            if (finish.is_needed()) {
                finish_row(finish_from(i, to), points.count, from, to);
            } else if (from != to) {
                std::memcpy(to, from, points.count * sizeof(float));
            }
        }
    });
}

}  // namespace strata::cpu
