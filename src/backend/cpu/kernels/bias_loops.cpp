// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/bias_loops.h"

#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/parallel_ranges.h"

#include <algorithm>
#include <array>
#include <cstring>

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

// Positions that are summed in f32, in four independent chains.
constexpr Index stretch_positions = 256;

template <class Vector>
[[gnu::always_inline]] inline void add_vector(const float* from, Vector& sum) {
    Vector lane;
    std::memcpy(&lane, from, sizeof(Vector));
    sum += lane;
}

template <class Vector>
[[gnu::always_inline]] inline void add_lanes(const float* dy, Index positions, Index step,
                                             double* total) {
    for (Index begin = 0; begin < positions; begin += stretch_positions) {
        const Index end = std::min(begin + stretch_positions, positions);
        std::array<Vector, 4> sums{};
        Index p = begin;
        for (; p + 4 <= end; p += 4) {
            add_vector(dy + p * step, sums[0]);
            add_vector(dy + (p + 1) * step, sums[1]);
            add_vector(dy + (p + 2) * step, sums[2]);
            add_vector(dy + (p + 3) * step, sums[3]);
        }
        for (; p < end; ++p) {
            add_vector(dy + p * step, sums[0]);
        }
        const Vector all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        std::array<float, sizeof(Vector) / sizeof(float)> sum;
        std::memcpy(sum.data(), &all, sizeof(Vector));
        for (std::size_t i = 0; i < sum.size(); ++i) {
            total[i] += static_cast<double>(sum[i]);
        }
    }
}

// total[i] += the sum over positions of dy[p * step + i], for `count` <= lanes.
STRATA_EACH_ISA void add_up(const float* dy, Index positions, Index step, Index count,
                            double* total) {
    using By8 = float __attribute__((vector_size(32)));
    using By16 = float __attribute__((vector_size(64)));
    switch (count) {
        case 8:
            return add_lanes<By8>(dy, positions, step, total);
        case lanes:
            return add_lanes<By16>(dy, positions, step, total);
        default:
            for (Index p = 0; p < positions; ++p) {
                for (Index i = 0; i < count; ++i) {
                    total[i] += static_cast<double>(dy[p * step + i]);
                }
            }
    }
}

// The sum of a row in separate lanes, because the compiler must keep the order of additions.
double row_sum(const float* dy, Index count) {
    std::array<double, lanes> sums{};
    add_up(dy, count / lanes, lanes, lanes, sums.data());
    double sum = 0;
    for (const double lane : sums) {
        sum += lane;
    }
    for (Index i = count / lanes * lanes; i < count; ++i) {
        sum += static_cast<double>(dy[i]);
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
            if (shape.inner == 1) {
                total[0] += row_sum(from, shape.positions);
            } else {
                add_up(from, shape.positions, shape.inner, count, total.data());
            }
        }
        for (Index i = 0; i < count; ++i) {
            dbias[first + i] = static_cast<float>(total[static_cast<std::size_t>(i)]);
        }
    }
}

}  // namespace strata::cpu
