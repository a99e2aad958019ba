// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/lrn_loops.h"

#include "backend/cpu/kernels/isa.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

namespace strata::cpu {

namespace {

// s ^ -beta of `count` sums; the usual exponent by square roots, for which processors have
// instructions.
inline void negative_powers(const float* sums, std::size_t count, float beta, float* powers) {
    if (beta == 0.75F) {
        for (std::size_t i = 0; i < count; ++i) {
            powers[i] = 1 / std::sqrt(sums[i] * std::sqrt(sums[i]));
        }
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        powers[i] = std::pow(sums[i], -beta);
    }
}

// Channels of a window before and behind its own.
std::size_t before(const ChannelLrn& lrn) {
    return (lrn.size - 1) / 2;
}
std::size_t behind(const ChannelLrn& lrn) {
    return lrn.size / 2;
}

// Adjacent positions of one image that are processed at a time.
struct Tile {
    std::size_t first = 0;  // element: the first channel of the first position
    std::size_t step = 0;   // elements from one block of channels to the next
    std::size_t count = 0;
};

// Calls work(tile, buffers) for tiles of limited size, on OpenMP's threads, each with its own
// buffers.
template <class Buffers, class Work>
void for_each_tile(const ChannelLrn& lrn, std::size_t max_positions, Work&& work) {
    const auto images = static_cast<std::size_t>(lrn.blocks.images);
    const auto positions = static_cast<std::size_t>(lrn.blocks.positions);
    const auto inner = static_cast<std::size_t>(lrn.blocks.inner);
    const std::size_t of_image = static_cast<std::size_t>(lrn.blocks.blocks()) * positions * inner;
#pragma omp parallel
    {
        Buffers buffers(lrn);
#pragma omp for schedule(static) collapse(2)
        for (std::size_t image = 0; image < images; ++image) {
            for (std::size_t first = 0; first < positions; first += max_positions) {
                work(Tile{.first = image * of_image + first * inner,
                          .step = positions * inner,
                          .count = std::min(max_positions, positions - first)},
                     buffers);
            }
        }
    }
}

// ---- rows: channels are adjacent, at least in blocks, and loops run along them

// Few enough for their channels to stay in the L1 cache; enough for a block's channels to be
// contiguous, and for no load to wait for a store just before it.
constexpr std::size_t rows_at_once = 8;

// The channels of some positions, with the padded ones of their last block.
class Rows {
public:
    explicit Rows(const ChannelLrn& lrn)
        : inner(static_cast<std::size_t>(lrn.blocks.inner)),
          channels(static_cast<std::size_t>(lrn.blocks.blocks()) * inner),
          width(channels + lrn.size),
          windows(rows_at_once * width),
          x(windows.size()),
          sums(windows.size()),
          scaled(windows.size()) {}

    std::size_t inner, channels;
    std::size_t width;           // elements from row to row
    std::vector<float> windows;  // zeros around the channels, for windows that extend beyond them
    std::vector<float> x, sums, scaled;
};

// Calls work(element, place, count) for each block of each position: the channels from that element
// on belong at that place of the rows. The usual blocks have constant extents, for the compiler.
template <class Count, class Work>
inline __attribute__((always_inline)) void for_blocks_of(const Tile& tile, const Rows& rows,
                                                         Count inner, Work&& work) {
    std::size_t element = tile.first;
    for (std::size_t c = 0; c < rows.channels; c += inner, element += tile.step) {
        for (std::size_t i = 0; i < tile.count; ++i) {
            work(element + i * inner, i * rows.width + c, inner);
        }
    }
}
template <class Work>
inline __attribute__((always_inline)) void for_each_block(const Tile& tile, const Rows& rows,
                                                          Work&& work) {
    if (rows.inner == 16) {
        for_blocks_of(tile, rows, std::integral_constant<std::size_t, 16>{}, work);
    } else if (rows.inner == 8) {
        for_blocks_of(tile, rows, std::integral_constant<std::size_t, 8>{}, work);
    } else {
        for_blocks_of(tile, rows, rows.inner, work);
    }
}

// sums[c] = start + the values of its window.
inline void sum_windows(const float* __restrict values, std::size_t size, std::size_t channels,
                        float start, float* __restrict sums) {
    if (size == 5) {  // every known network's
        for (std::size_t c = 0; c < channels; ++c) {
            sums[c] =
                start + values[c] + values[c + 1] + values[c + 2] + values[c + 3] + values[c + 4];
        }
        return;
    }
    std::fill_n(sums, channels, start);
    for (std::size_t tap = 0; tap < size; ++tap) {
        for (std::size_t c = 0; c < channels; ++c) {
            sums[c] += values[c + tap];
        }
    }
}

// Loads x, s, and s ^ -beta as `scaled`.
inline __attribute__((always_inline)) void load_rows(const ChannelLrn& lrn, const Tile& tile,
                                                     const float* x, Rows& rows) {
    for (std::size_t i = 0; i < tile.count; ++i) {
        std::fill_n(rows.windows.data() + i * rows.width, before(lrn), 0.0F);
        std::fill_n(rows.windows.data() + i * rows.width + before(lrn) + rows.channels, behind(lrn),
                    0.0F);
    }
    for_each_block(tile, rows,
                   [=, values = rows.x.data(), squares = rows.windows.data() + before(lrn),
                    scale = lrn.scale](std::size_t from, std::size_t to, auto count) {
                       for (std::size_t i = 0; i < count; ++i) {
                           const float value = x[from + i];
                           values[to + i] = value;
                           squares[to + i] = scale * value * value;
                       }
                   });
    for (std::size_t i = 0; i < tile.count; ++i) {
        const std::size_t row = i * rows.width;
        sum_windows(rows.windows.data() + row, lrn.size, rows.channels, lrn.k,
                    rows.sums.data() + row);
        negative_powers(rows.sums.data() + row, rows.channels, lrn.beta, rows.scaled.data() + row);
    }
}

STRATA_EACH_ISA void normalize_rows(const ChannelLrn& lrn, const Tile& tile, const float* x,
                                    float* y, Rows& rows) {
    load_rows(lrn, tile, x, rows);
    for_each_block(tile, rows,
                   [=, values = rows.x.data(), powers = rows.scaled.data()](
                       std::size_t to, std::size_t from, auto count) {
                       for (std::size_t i = 0; i < count; ++i) {
                           y[to + i] = values[from + i] * powers[from + i];
                       }
                   });
}

STRATA_EACH_ISA void gradient_of_rows(const ChannelLrn& lrn, const Tile& tile, const float* x,
                                      const float* dy, float* dx, Rows& rows) {
    load_rows(lrn, tile, x, rows);
    const float* const values = rows.x.data();
    float* const sums = rows.sums.data();
    float* const scaled = rows.scaled.data();
    // The windows that contain a channel end where its own begins, and vice versa.
    float* const ratios = rows.windows.data() + behind(lrn);
    for (std::size_t i = 0; i < tile.count; ++i) {
        std::fill_n(rows.windows.data() + i * rows.width, behind(lrn), 0.0F);
        std::fill_n(ratios + i * rows.width + rows.channels, before(lrn), 0.0F);
    }
    for_each_block(tile, rows, [=](std::size_t from, std::size_t to, auto count) {
        for (std::size_t i = 0; i < count; ++i) {
            scaled[to + i] *= dy[from + i];
            ratios[to + i] = scaled[to + i] * values[to + i] / sums[to + i];
        }
    });
    for (std::size_t i = 0; i < tile.count; ++i) {
        const std::size_t row = i * rows.width;
        sum_windows(rows.windows.data() + row, lrn.size, rows.channels, 0, sums + row);
    }
    for_each_block(
        tile, rows,
        [=, factor = 2 * lrn.scale * lrn.beta](std::size_t to, std::size_t from, auto count) {
            for (std::size_t i = 0; i < count; ++i) {
                dx[to + i] = scaled[from + i] - factor * values[from + i] * sums[from + i];
            }
        });
}

// ---- planes: the positions of a channel are adjacent, and loops run along them

// For this many, values of all channels stay in a core's own caches.
constexpr std::size_t positions_at_once = 64;
using Positions = std::array<float, positions_at_once>;

struct Planes {
    explicit Planes(const ChannelLrn& lrn)
        : channels(static_cast<std::size_t>(lrn.blocks.channels)), ratios(channels) {}

    std::size_t channels;
    std::vector<Positions> ratios;
};

// The existing channels around c.
struct ChannelRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};
ChannelRange channels_around(std::size_t c, std::size_t before, std::size_t behind,
                             std::size_t channels) {
    return {c - std::min(c, before), std::min(channels, c + behind + 1)};
}

// s and s ^ -beta of a channel; 1 beyond the last position. x is channel 0's.
inline void scales_of_plane(const ChannelLrn& lrn, const Tile& tile, const float* x, std::size_t c,
                            std::size_t channels, Positions& sums, Positions& powers) {
    std::fill_n(sums.begin(), tile.count, lrn.k);
    std::fill(sums.begin() + static_cast<std::ptrdiff_t>(tile.count), sums.end(), 1.0F);
    const auto [begin, end] = channels_around(c, before(lrn), behind(lrn), channels);
    const float scale = lrn.scale;
    for (std::size_t other = begin; other < end; ++other) {
        const float* const values = x + other * tile.step;
        for (std::size_t i = 0; i < tile.count; ++i) {
            sums[i] += scale * values[i] * values[i];
        }
    }
    negative_powers(sums.data(), positions_at_once, lrn.beta, powers.data());
}

STRATA_EACH_ISA void normalize_planes(const ChannelLrn& lrn, const Tile& tile, const float* x,
                                      float* y, std::size_t channels) {
    x += tile.first;
    y += tile.first;
    Positions sums, powers;
    for (std::size_t c = 0; c < channels; ++c, y += tile.step) {
        scales_of_plane(lrn, tile, x, c, channels, sums, powers);
        for (std::size_t i = 0; i < tile.count; ++i) {
            y[i] = x[c * tile.step + i] * powers[i];
        }
    }
}

STRATA_EACH_ISA void gradient_of_planes(const ChannelLrn& lrn, const Tile& tile, const float* x,
                                        const float* dy, float* dx, Planes& planes) {
    x += tile.first;
    dy += tile.first;
    dx += tile.first;
    Positions sums, powers;
    for (std::size_t c = 0; c < planes.channels; ++c) {
        scales_of_plane(lrn, tile, x, c, planes.channels, sums, powers);
        const std::size_t at = c * tile.step;
        for (std::size_t i = 0; i < tile.count; ++i) {
            const float scaled = dy[at + i] * powers[i];
            dx[at + i] = scaled;
            planes.ratios[c][i] = scaled * x[at + i] / sums[i];
        }
    }
    const float factor = 2 * lrn.scale * lrn.beta;
    for (std::size_t c = 0; c < planes.channels; ++c) {
        sums.fill(0);
        // The windows that contain this channel end where its own begins, and vice versa.
        const auto [begin, end] = channels_around(c, behind(lrn), before(lrn), planes.channels);
        for (std::size_t other = begin; other < end; ++other) {
            for (std::size_t i = 0; i < tile.count; ++i) {
                sums[i] += planes.ratios[other][i];
            }
        }
        const std::size_t at = c * tile.step;
        for (std::size_t i = 0; i < tile.count; ++i) {
            dx[at + i] -= factor * x[at + i] * sums[i];
        }
    }
}

}  // namespace

void normalize_channels(const ChannelLrn& lrn, const float* x, float* y) {
    if (lrn.blocks.inner == 1) {
        for_each_tile<Planes>(lrn, positions_at_once, [&](const Tile& tile, const Planes& planes) {
            normalize_planes(lrn, tile, x, y, planes.channels);
        });
    } else {
        for_each_tile<Rows>(lrn, rows_at_once, [&](const Tile& tile, Rows& rows) {
            normalize_rows(lrn, tile, x, y, rows);
        });
    }
}

void normalize_channels_gradient(const ChannelLrn& lrn, const float* x, const float* dy,
                                 float* dx) {
    if (lrn.blocks.inner == 1) {
        for_each_tile<Planes>(lrn, positions_at_once, [&](const Tile& tile, Planes& planes) {
            gradient_of_planes(lrn, tile, x, dy, dx, planes);
        });
    } else {
        for_each_tile<Rows>(lrn, rows_at_once, [&](const Tile& tile, Rows& rows) {
            gradient_of_rows(lrn, tile, x, dy, dx, rows);
        });
    }
}

}  // namespace strata::cpu
