// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/movement.h"

#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/launch.cuh"

#include <cstring>

namespace strata::cuda {

namespace {

// An integer with the same order as the floats, NaN above all.
__device__ std::uint32_t ordered(float value) {
    if (value != value) {
        return 0xffffffffU;
    }
    std::uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    if (bits == 0x80000000U) {
        bits = 0;  // minus zero is zero
    }
    return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

// Elements are chosen by descending rank; of equal elements the first.
__device__ std::uint64_t rank_of(float value, std::int64_t position, bool largest) {
    const std::uint32_t key = largest ? ordered(value) : ~ordered(value);
    return std::uint64_t{key} << 32U | (0xffffffffU - static_cast<std::uint32_t>(position));
}

__device__ std::int64_t position_of(std::uint64_t rank) {
    return static_cast<std::int64_t>(0xffffffffU - static_cast<std::uint32_t>(rank));
}

struct Row {
    std::int64_t before;
    std::int64_t after;
};

__device__ Row row_of(const TopKShape& shape, std::int64_t number) {
    const std::int64_t before = number / shape.inner;
    return {before, number - before * shape.inner};
}

// Selects in k rounds, each of which finds the greatest rank below the last.
struct ForwardBody {
    Elements x;
    Elements values;
    float* positions;
    TopKShape shape;

    template <class Team>
    __device__ void operator()(std::int64_t number, const Team& team) const {
        const Row row = row_of(shape, number);
        const std::int64_t from = row.before * shape.extent * shape.inner + row.after;
        const std::int64_t to = row.before * shape.k * shape.inner + row.after;
        auto last = ~std::uint64_t{0};
        for (std::int64_t i = 0; i < shape.k; ++i) {
            std::uint64_t best = 0;
            for (std::int64_t p = team.index(); p < shape.extent; p += team.size()) {
                const std::uint64_t rank =
                    rank_of(x.load(from + p * shape.inner), p, shape.largest);
                best = rank > best && (i == 0 || rank < last) ? rank : best;
            }
            last = team.combined(best, Greater());
            if (team.index() == 0) {
                const std::int64_t p = position_of(last);
                values.store(to + i * shape.inner, x.load(from + p * shape.inner));
                positions[to + i * shape.inner] = static_cast<float>(p);
            }
        }
    }
};

// The position, moved to the nearest valid one: without its forward pass, a step reads whatever the
// memory holds.
__device__ std::int64_t inside(float position, std::int64_t extent) {
    const auto last = static_cast<float>(extent - 1);
    return position > 0 ? static_cast<std::int64_t>(position < last ? position : last) : 0;
}

struct BackwardBody {
    Elements dy;
    const float* positions;
    Elements dx;
    TopKShape shape;

    __device__ void operator()(std::int64_t number) const {
        const Row row = row_of(shape, number);
        const std::int64_t to = row.before * shape.extent * shape.inner + row.after;
        const std::int64_t from = row.before * shape.k * shape.inner + row.after;
        for (std::int64_t p = 0; p < shape.extent; ++p) {
            dx.store(to + p * shape.inner, 0);
        }
        for (std::int64_t i = 0; i < shape.k; ++i) {
            const std::int64_t p = inside(positions[from + i * shape.inner], shape.extent);
            dx.store(to + p * shape.inner, dy.load(from + i * shape.inner));
        }
    }
};

struct HardmaxBody {
    Elements x;
    Elements y;
    TopKShape shape;

    template <class Team>
    __device__ void operator()(std::int64_t number, const Team& team) const {
        const Row row = row_of(shape, number);
        const std::int64_t start = row.before * shape.extent * shape.inner + row.after;
        std::uint64_t best = 0;
        for (std::int64_t p = team.index(); p < shape.extent; p += team.size()) {
            const std::uint64_t rank = rank_of(x.load(start + p * shape.inner), p, true);
            best = rank > best ? rank : best;
        }
        const std::int64_t first = position_of(team.combined(best, Greater()));
        for (std::int64_t p = team.index(); p < shape.extent; p += team.size()) {
            y.store(start + p * shape.inner, p == first ? 1 : 0);
        }
    }
};

struct ZeroBody {
    Elements to;

    __device__ void operator()(std::int64_t i) const { to.store(i, 0); }
};

}  // namespace

Kernel hardmax_forward(const TopKShape& shape, const std::array<ElementType, 2>& types) {
    const auto make = [=](std::span<void* const> at) {
        return HardmaxBody{Elements(at[0], types[0]), Elements(at[1], types[1]), shape};
    };
    const std::int64_t count = shape.outer * shape.inner;
    return shape.inner == 1 ? rows("strata:hardmax", count, shape.extent, make)
                            : columns("strata:hardmax", count, shape.extent, make);
}

Kernel hardmax_backward(std::int64_t count, ElementType type) {
    return each("strata:hardmax_backward", count,
                [=](std::span<void* const> at) { return ZeroBody{Elements(at[0], type)}; });
}

Kernel top_k_forward(const TopKShape& shape, const std::array<ElementType, 2>& types) {
    const auto make = [=](std::span<void* const> at) {
        return ForwardBody{Elements(at[0], types[0]), Elements(at[1], types[1]),
                           static_cast<float*>(at[2]), shape};
    };
    const std::int64_t count = shape.outer * shape.inner;
    return shape.inner == 1 ? rows("strata:top_k", count, shape.extent, make)
                            : columns("strata:top_k", count, shape.extent, make);
}

Kernel top_k_backward(const TopKShape& shape, const std::array<ElementType, 2>& types) {
    return each("strata:top_k_backward", shape.outer * shape.inner, [=](std::span<void* const> at) {
        return BackwardBody{Elements(at[0], types[0]), static_cast<const float*>(at[1]),
                            Elements(at[2], types[1]), shape};
    });
}

}  // namespace strata::cuda
