// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/fft_tiles.h"

#include "backend/cpu/kernels/isa.h"

#include <algorithm>

namespace strata::cpu {

namespace {

constexpr std::size_t lanes = fft_lanes;

// The part of a tile within the plane.
struct Clipped {
    std::size_t first = 0;  // of the tile's elements
    std::size_t count = 0;
    std::size_t start = 0;  // of the plane's
};

Clipped clip(std::size_t tile, std::size_t step, std::ptrdiff_t lead, std::size_t extent,
             std::size_t plane) {
    const std::ptrdiff_t origin = static_cast<std::ptrdiff_t>(tile * step) - lead;
    const auto begin = std::max<std::ptrdiff_t>(0, -origin);
    const auto end =
        std::min(static_cast<std::ptrdiff_t>(extent), static_cast<std::ptrdiff_t>(plane) - origin);
    if (end <= begin) {
        return {};
    }
    return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin),
            static_cast<std::size_t>(origin + begin)};
}

// Rows of a tile of channels, `lane` floats apart.
struct TileCopy {
    std::size_t channels = 0;
    std::ptrdiff_t lane = 0;
    std::ptrdiff_t column = 0;
    std::size_t count = 0;
};

STRATA_EACH_ISA void load_row(const TileCopy& copy, const float* image, float* tile) {
    if (copy.lane == 1 && copy.channels == lanes) {
        for (std::size_t w = 0; w < copy.count; ++w, image += copy.column, tile += lanes) {
#pragma GCC ivdep
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                tile[lane] = image[lane];
            }
        }
        return;
    }
    for (std::size_t lane = 0; lane < copy.channels; ++lane, image += copy.lane) {
        for (std::size_t w = 0; w < copy.count; ++w) {
            tile[w * lanes + lane] = image[static_cast<std::ptrdiff_t>(w) * copy.column];
        }
    }
}

STRATA_EACH_ISA void store_row(const TileCopy& copy, const float* tile, float* image) {
    if (copy.lane == 1 && copy.channels == lanes) {
        for (std::size_t w = 0; w < copy.count; ++w, image += copy.column, tile += lanes) {
#pragma GCC ivdep
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                image[lane] = tile[lane];
            }
        }
        return;
    }
    for (std::size_t lane = 0; lane < copy.channels; ++lane, image += copy.lane) {
        for (std::size_t w = 0; w < copy.count; ++w) {
            image[static_cast<std::ptrdiff_t>(w) * copy.column] = tile[w * lanes + lane];
        }
    }
}

// Calls visit(copy, place in the image, place in the tile) for each row, in blocks of channels.
template <class Visit>
void for_tile_rows(const ImageView& view, const TileGrid& grid, const ImageTile& tile,
                   const FftExtents& extents, Visit&& visit) {
    const std::size_t n = tile.number / grid.tiles(), place = tile.number % grid.tiles();
    const Clipped rows = clip(place / grid.columns, grid.step.height, grid.lead_height,
                              grid.extent.height, view.height);
    const Clipped columns =
        clip(place % grid.columns, grid.step.width, grid.lead_width, grid.extent.width, view.width);
    for (std::size_t done = 0; done < tile.channels.count;) {
        const std::size_t channel = tile.channels.first + done;
        const std::size_t count =
            std::min(tile.channels.count - done, view.block - channel % view.block);
        float* plane = view.plane(n, channel);
        for (std::size_t h = 0; h < rows.count; ++h) {
            visit(TileCopy{count, view.lane, view.column, columns.count},
                  plane + static_cast<std::ptrdiff_t>(rows.start + h) * view.row +
                      static_cast<std::ptrdiff_t>(columns.start) * view.column,
                  ((rows.first + h) * extents.pitch() + columns.first) * lanes + done);
        }
        done += count;
    }
}

// The positions of a frequency and of its opposite in a tile.
struct Opposite {
    std::size_t at = 0;
    std::size_t opposite = 0;
};

Opposite places(const FftExtents& e, std::size_t u, std::size_t v) {
    return {(u * e.pitch() + v) * lanes,
            ((e.height - u) % e.height * e.pitch() + (e.width - v) % e.width) * lanes};
}

// A row of right matrices: Re b, Im b - Re b, -(Re b + Im b).
void put_right(float* to, std::size_t plane, std::size_t lane, float real, float imaginary) {
    to[lane] = real;
    to[plane + lane] = imaginary - real;
    to[2 * plane + lane] = -(real + imaginary);
}

}  // namespace

void load_tile(const ImageView& view, const TileGrid& grid, const ImageTile& tile,
               const FftExtents& extents, float* part) {
    std::fill_n(part, extents.part_floats(), 0.0F);
    for_tile_rows(view, grid, tile, extents,
                  [&](const TileCopy& copy, const float* image, std::size_t at) {
                      load_row(copy, image, part + at);
                  });
}

void store_tile(const ImageView& view, const TileGrid& grid, const ImageTile& tile,
                const FftExtents& extents, const float* part) {
    for_tile_rows(view, grid, tile, extents,
                  [&](const TileCopy& copy, float* image, std::size_t at) {
                      store_row(copy, part + at, image);
                  });
}

STRATA_EACH_ISA void store_pair(const float* tile, const FftExtents& e, const SpectrumRows& to) {
    const float* imaginary = tile + e.part_floats();
    float* out = to.data;
    for (std::size_t u = 0; u < e.height; ++u) {
        for (std::size_t v = 0; v < e.half_width(); ++v, out += to.step) {
            const auto [at, opposite] = places(e, u, v);
#pragma GCC ivdep
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                out[lane] = tile[at + lane];
                out[to.plane + lane] = imaginary[at + lane];
                out[to.row + lane] = tile[opposite + lane];
                out[to.row + to.plane + lane] = -imaginary[opposite + lane];
            }
        }
    }
}

STRATA_EACH_ISA void load_pair(const SpectrumRows& from, const FftExtents& e, float* tile) {
    float* imaginary = tile + e.part_floats();
    const float* in = from.data;
    for (std::size_t u = 0; u < e.height; ++u) {
        for (std::size_t v = 0; v < e.half_width(); ++v, in += from.step) {
            const auto [at, opposite] = places(e, u, v);
            // Written first, because a frequency that is its own opposite uses the other row.
#pragma GCC ivdep
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                tile[opposite + lane] = in[from.row + lane];
                imaginary[opposite + lane] = -in[from.row + from.plane + lane];
            }
#pragma GCC ivdep
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                tile[at + lane] = in[lane];
                imaginary[at + lane] = in[from.plane + lane];
            }
        }
    }
}

STRATA_EACH_ISA void store_conjugate_right_pair(const float* tile, const FftExtents& e,
                                                const SpectrumRows& to) {
    const float* imaginary = tile + e.part_floats();
    float* out = to.data;
    for (std::size_t u = 0; u < e.height; ++u) {
        for (std::size_t v = 0; v < e.half_width(); ++v, out += to.step) {
            const auto [at, opposite] = places(e, u, v);
#pragma GCC ivdep
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                put_right(out, to.plane, lane, tile[at + lane], -imaginary[at + lane]);
                put_right(out + to.row, to.plane, lane, tile[opposite + lane],
                          imaginary[opposite + lane]);
            }
        }
    }
}

// Z = A + iB for real a and b, so that A(f) = (Z(f) + conj Z(-f)) / 2 and
// B(f) = (Z(f) - conj Z(-f)) / 2i.
STRATA_EACH_ISA void store_separate_right(const float* tile, const FftExtents& e,
                                          const SpectrumRows& to) {
    const float* imaginary = tile + e.part_floats();
    float* out = to.data;
    for (std::size_t u = 0; u < e.height; ++u) {
        for (std::size_t v = 0; v < e.half_width(); ++v, out += to.step) {
            const auto [at, opposite] = places(e, u, v);
#pragma GCC ivdep
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const float re = tile[at + lane], im = imaginary[at + lane];
                const float other_re = tile[opposite + lane];
                const float other_im = -imaginary[opposite + lane];
                put_right(out, to.plane, lane, 0.5F * (re + other_re), 0.5F * (im + other_im));
                put_right(out + to.row, to.plane, lane, 0.5F * (im - other_im),
                          0.5F * (other_re - re));
            }
        }
    }
}

// Z(f) = A(f) + iB(f), Z(-f) = conj A(f) + i conj B(f).
STRATA_EACH_ISA void load_separate(const SpectrumRows& from, const FftExtents& e, float* tile) {
    float* imaginary = tile + e.part_floats();
    const float* in = from.data;
    for (std::size_t u = 0; u < e.height; ++u) {
        for (std::size_t v = 0; v < e.half_width(); ++v, in += from.step) {
            const auto [at, opposite] = places(e, u, v);
#pragma GCC ivdep
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const float a_re = in[lane], a_im = in[from.plane + lane];
                const float b_re = in[from.row + lane], b_im = in[from.row + from.plane + lane];
                tile[opposite + lane] = a_re + b_im;
                imaginary[opposite + lane] = b_re - a_im;
                tile[at + lane] = a_re - b_im;
                imaginary[at + lane] = a_im + b_re;
            }
        }
    }
}

}  // namespace strata::cpu
