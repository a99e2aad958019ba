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
    const Index blocks = shape.blocks(), all = shape.images * blocks * shape.positions;
    parallel_ranges(static_cast<std::size_t>(all), [&](std::size_t begin, std::size_t end) {
        for (auto at = static_cast<Index>(begin); at < static_cast<Index>(end);) {
            const Index block = at / shape.positions, first = block % blocks * shape.inner;
            const Index next = std::min(static_cast<Index>(end), (block + 1) * shape.positions);
            if (shape.inner == 1) {
                add_to_all(bias[first], y + at, next - at);
            } else {
                add_to_each(bias + first, y + at * shape.inner, next - at, shape.inner,
                            std::min(shape.inner, shape.channels - first));
            }
            at = next;
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
