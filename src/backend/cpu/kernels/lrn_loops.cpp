// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/lrn_loops.h"

#include "backend/cpu/kernels/isa.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace strata::cpu {

namespace {

// s^(-3/4) is 1 / sqrt(s sqrt(s)), which processors have instructions for.
STRATA_EACH_ISA void normalize_position(const ChannelLrn& lrn, const float* x, float* y) {
    float squares[max_lrn_channels + max_lrn_size];
    float sums[max_lrn_channels];
    const std::size_t half = lrn.size / 2;
    float* const middle = squares + half;
    for (std::size_t i = 0; i < half; ++i) {
        squares[i] = middle[lrn.channels + i] = 0;
    }
    for (std::size_t c = 0; c < lrn.channels; ++c) {
        middle[c] = x[c] * x[c] * lrn.scale;
        sums[c] = lrn.k;
    }
    for (std::size_t tap = 0; tap < lrn.size; ++tap) {
        for (std::size_t c = 0; c < lrn.channels; ++c) {
            sums[c] += squares[c + tap];
        }
    }
    for (std::size_t c = 0; c < lrn.channels; ++c) {
        y[c] = x[c] / std::sqrt(sums[c] * std::sqrt(sums[c]));
    }
}

// Positions that are done at a time: for them, values of all channels stay in a core's own cache.
constexpr std::size_t positions_at_once = 64;
using Positions = std::array<float, positions_at_once>;

// s ^ -beta of each position; the usual exponent as above.
STRATA_EACH_ISA void negative_powers(const Positions& sums, float beta, Positions& powers) {
    if (beta == 0.75F) {
        for (std::size_t i = 0; i < positions_at_once; ++i) {
            powers[i] = 1 / std::sqrt(sums[i] * std::sqrt(sums[i]));
        }
        return;
    }
    for (std::size_t i = 0; i < positions_at_once; ++i) {
        powers[i] = std::pow(sums[i], -beta);
    }
}

STRATA_EACH_ISA void add_squares(const float* x, std::size_t count, float scale, Positions& sums) {
    for (std::size_t i = 0; i < count; ++i) {
        sums[i] += scale * x[i] * x[i];
    }
}

// The channels in the window of channel c, and those in whose windows it is. An even window has one
// more channel behind than before.
struct ChannelsAround {
    std::size_t begin = 0;
    std::size_t end = 0;
};
ChannelsAround channels_around(const PlaneLrn& lrn, std::size_t c) {
    const std::size_t before = (lrn.size - 1) / 2;
    return {c - std::min(c, before), std::min(lrn.channels, c + lrn.size - before)};
}
ChannelsAround channels_that_see(const PlaneLrn& lrn, std::size_t c) {
    const std::size_t before = (lrn.size - 1) / 2, behind = lrn.size - 1 - before;
    return {c - std::min(c, behind), std::min(lrn.channels, c + before + 1)};
}

// s of `count` positions of a channel; 1 beyond them.
void scales_of_positions(const PlaneLrn& lrn, const float* x, std::size_t c, std::size_t count,
                         Positions& sums) {
    std::fill_n(sums.begin(), count, lrn.k);
    std::fill(sums.begin() + static_cast<std::ptrdiff_t>(count), sums.end(), 1.0F);
    const auto [begin, end] = channels_around(lrn, c);
    for (std::size_t other = begin; other < end; ++other) {
        add_squares(x + other * lrn.positions, count, lrn.scale, sums);
    }
}

STRATA_EACH_ISA void multiply_positions(const float* x, const Positions& factors, std::size_t count,
                                        float* y) {
    for (std::size_t i = 0; i < count; ++i) {
        y[i] = x[i] * factors[i];
    }
}

// ratios = dy x s ^ (-beta - 1)
STRATA_EACH_ISA void ratios_of(const float* x, const float* dy, const Positions& sums,
                               const Positions& powers, std::size_t count, float* ratios) {
    for (std::size_t i = 0; i < count; ++i) {
        ratios[i] = dy[i] * x[i] * powers[i] / sums[i];
    }
}

STRATA_EACH_ISA void add_positions(const float* values, Positions& sums) {
    for (std::size_t i = 0; i < positions_at_once; ++i) {
        sums[i] += values[i];
    }
}

STRATA_EACH_ISA void subtract_scaled(float factor, const float* x, const Positions& sums,
                                     std::size_t count, float* dx) {
    for (std::size_t i = 0; i < count; ++i) {
        dx[i] -= factor * x[i] * sums[i];
    }
}

void gradient_of_positions(const PlaneLrn& lrn, const float* x, const float* dy, std::size_t count,
                           float* dx, std::vector<float>& ratios) {
    Positions sums{}, powers{};
    for (std::size_t c = 0; c < lrn.channels; ++c) {
        const std::size_t at = c * lrn.positions;
        scales_of_positions(lrn, x, c, count, sums);
        negative_powers(sums, lrn.beta, powers);
        multiply_positions(dy + at, powers, count, dx + at);
        ratios_of(x + at, dy + at, sums, powers, count, ratios.data() + c * positions_at_once);
    }
    for (std::size_t c = 0; c < lrn.channels; ++c) {
        sums.fill(0);
        const auto [begin, end] = channels_that_see(lrn, c);
        for (std::size_t other = begin; other < end; ++other) {
            add_positions(ratios.data() + other * positions_at_once, sums);
        }
        const std::size_t at = c * lrn.positions;
        subtract_scaled(2 * lrn.scale * lrn.beta, x + at, sums, count, dx + at);
    }
}

}  // namespace

void normalize_planes(const PlaneLrn& lrn, const float* x, float* y) {
#pragma omp parallel for schedule(static)
    for (std::size_t first = 0; first < lrn.positions; first += positions_at_once) {
        const std::size_t count = std::min(positions_at_once, lrn.positions - first);
        Positions sums{}, powers{};
        for (std::size_t c = 0; c < lrn.channels; ++c) {
            scales_of_positions(lrn, x + first, c, count, sums);
            negative_powers(sums, lrn.beta, powers);
            const std::size_t at = c * lrn.positions + first;
            multiply_positions(x + at, powers, count, y + at);
        }
    }
}

void normalize_planes_gradient(const PlaneLrn& lrn, const float* x, const float* dy, float* dx) {
#pragma omp parallel
    {
        std::vector<float> ratios(lrn.channels * positions_at_once);
#pragma omp for schedule(static)
        for (std::size_t first = 0; first < lrn.positions; first += positions_at_once) {
            gradient_of_positions(lrn, x + first, dy + first,
                                  std::min(positions_at_once, lrn.positions - first), dx + first,
                                  ratios);
        }
    }
}

void normalize_channels(const ChannelLrn& lrn, const float* x, float* y, std::size_t positions) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < positions; ++i) {
        normalize_position(lrn, x + i * lrn.channels, y + i * lrn.channels);
    }
}

}  // namespace strata::cpu
