// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/bias_loops.h"

#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/parallel_ranges.h"

#include <algorithm>
#include <array>

namespace strata::cpu {

namespace {

using Index = std::int64_t;

constexpr Index lanes = 16;

STRATA_EACH_ISA void add_to_all(float bias, float* y, Index count) {
    for (Index i = 0; i < count; ++i) {
        y[i] += bias;
    }
}

STRATA_EACH_ISA void add_to_each(const float* bias, float* y, Index positions, Index inner,
                                 Index used) {
    for (Index p = 0; p < positions; ++p) {
        for (Index i = 0; i < used; ++i) {
            y[p * inner + i] += bias[i];
        }
    }
}

STRATA_EACH_ISA void scale_all(float factor, float offset, const float* x, float* y, Index count) {
    for (Index i = 0; i < count; ++i) {
        y[i] = x[i] * factor + offset;
    }
}

[[gnu::always_inline]] inline void scale_rows(const float* factors, const float* offsets,
                                              const float* x, float* y, Index positions,
                                              Index inner) {
    for (Index p = 0; p < positions; ++p) {
        for (Index i = 0; i < inner; ++i) {
            y[p * inner + i] = x[p * inner + i] * factors[i] + offsets[i];
        }
    }
}

STRATA_EACH_ISA void scale_each(const float* factors, const float* offsets, const float* x,
                                float* y, Index positions, Index inner) {
    switch (inner) {  // constants, for the compiler
        case 8:
            return scale_rows(factors, offsets, x, y, positions, 8);
        case 16:
            return scale_rows(factors, offsets, x, y, positions, 16);
        default:
            return scale_rows(factors, offsets, x, y, positions, inner);
    }
}

// Adjacent positions of one block of channels of one image.
struct Stretch {
    Index channel = 0;  // the first of the block
    Index at = 0;       // the first element
    Index positions = 0;
};

// Calls work(stretch) for all of them, on OpenMP's threads.
template <class Work>
void for_each_stretch(const ChannelBlocks& shape, Work&& work) {
    const Index blocks = shape.blocks(), all = shape.images * blocks * shape.positions;
    const auto share = [&](std::size_t begin, std::size_t end) {
        for (auto at = static_cast<Index>(begin); at < static_cast<Index>(end);) {
            const Index block = at / shape.positions;
            const Index next = std::min(static_cast<Index>(end), (block + 1) * shape.positions);
            work(Stretch{block % blocks * shape.inner, at * shape.inner, next - at});
            at = next;
        }
    };
    parallel_ranges(static_cast<std::size_t>(all), share, static_cast<std::size_t>(shape.inner));
}

// sums[i] = the sum over positions of dy[p * step + i], for `count` <= lanes.
STRATA_EACH_ISA void sum_lanes(const float* dy, Index positions, Index step, Index count,
                               float* sums) {
    std::array<float, lanes> total{};
    if (count == lanes) {
        for (Index p = 0; p < positions; ++p) {
            for (Index i = 0; i < lanes; ++i) {
                total[static_cast<std::size_t>(i)] += dy[p * step + i];
            }
        }
    } else {
        for (Index p = 0; p < positions; ++p) {
            for (Index i = 0; i < count; ++i) {
                total[static_cast<std::size_t>(i)] += dy[p * step + i];
            }
        }
    }
    std::copy_n(total.begin(), count, sums);
}

// The sum of a row, by lanes of its own, because the order of additions is fixed.
float row_sum(const float* dy, Index count) {
    std::array<float, lanes> sums{};
    sum_lanes(dy, count / lanes, lanes, lanes, sums.data());
    float sum = 0;
    for (const float lane : sums) {
        sum += lane;
    }
    for (Index i = count / lanes * lanes; i < count; ++i) {
        sum += dy[i];
    }
    return sum;
}

}  // namespace

void add_bias(const ChannelBlocks& shape, const float* bias, float* y) {
    for_each_stretch(shape, [&](const Stretch& stretch) {
        if (shape.inner == 1) {
            add_to_all(bias[stretch.channel], y + stretch.at, stretch.positions);
        } else {
            add_to_each(bias + stretch.channel, y + stretch.at, stretch.positions, shape.inner,
                        std::min(shape.inner, shape.channels - stretch.channel));
        }
    });
}

void scale_channels(const ChannelBlocks& shape, const float* factors, const float* offsets,
                    const float* x, float* y) {
    for_each_stretch(shape, [&](const Stretch& stretch) {
        const float* const factor = factors + stretch.channel;
        const float* const offset = offsets + stretch.channel;
        if (shape.inner == 1) {
            scale_all(*factor, *offset, x + stretch.at, y + stretch.at, stretch.positions);
        } else {
            scale_each(factor, offset, x + stretch.at, y + stretch.at, stretch.positions,
                       shape.inner);
        }
    });
}

void bias_gradient(const ChannelBlocks& shape, const float* dy, float* dbias) {
    const Index blocks = shape.blocks(), width = std::min(shape.inner, lanes);
    const Index chunks = (shape.channels + width - 1) / width;
#pragma omp parallel for schedule(static)
    for (Index chunk = 0; chunk < chunks; ++chunk) {
        const Index first = chunk * width, count = std::min(width, shape.channels - first);
        std::array<double, lanes> total{};
        for (Index image = 0; image < shape.images; ++image) {
            const Index block = image * blocks + first / shape.inner;
            const float* from = dy + block * shape.positions * shape.inner + first % shape.inner;
            std::array<float, lanes> sums{};
            if (shape.inner == 1) {
                sums[0] = row_sum(from, shape.positions);
            } else {
                sum_lanes(from, shape.positions, shape.inner, count, sums.data());
            }
            for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
                total[i] += static_cast<double>(sums[i]);
            }
        }
        for (Index i = 0; i < count; ++i) {
            dbias[first + i] = static_cast<float>(total[static_cast<std::size_t>(i)]);
        }
    }
}

}  // namespace strata::cpu
