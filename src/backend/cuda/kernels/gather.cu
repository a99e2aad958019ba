// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/movement.h"

#include "backend/cuda/kernels/divisor.h"
#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/launch.cuh"

namespace strata::cuda {

namespace {

// As in backend/semantics.h.
__device__ std::int64_t view_of(float index, std::int64_t extent) {
    const auto room = static_cast<double>(extent);
    const double wanted = index < 0 ? static_cast<double>(index) + room : index;
    const double inside = wanted > 0 ? (wanted < room - 1 ? wanted : room - 1) : 0;
    return static_cast<std::int64_t>(inside);
}

// Where the i-th gathered element comes from.
struct Source {
    Divisor inner;
    Divisor indices;
    std::int64_t extent;

    __device__ std::int64_t operator()(const Elements& named, std::int64_t i) const {
        const std::int64_t row = inner.quotient(i);
        const std::int64_t within = i - row * inner.value();
        const std::int64_t outer = indices.quotient(row);
        const std::int64_t which = row - outer * indices.value();
        return (outer * extent + view_of(named.load(which), extent)) * inner.value() + within;
    }
};

struct GatherBody {
    Elements data;
    Elements indices;
    Elements y;
    Source source;

    __device__ void operator()(std::int64_t i) const { y.store(i, data.load(source(indices, i))); }
};

struct ScatterBody {
    Elements dy;
    Elements indices;
    float* sum;
    Source source;

    __device__ void operator()(std::int64_t i) const {
        atomicAdd(sum + source(indices, i), dy.load(i));
    }
};

Source source_of(const GatherShape& shape) {
    return {Divisor(shape.inner), Divisor(shape.indices), shape.extent};
}

std::int64_t gathered(const GatherShape& shape) {
    return shape.outer * shape.indices * shape.inner;
}

}  // namespace

Kernel gather(const GatherShape& shape, const std::array<ElementType, 3>& types) {
    return each("strata:gather", gathered(shape), [=](std::span<void* const> at) {
        return GatherBody{Elements(at[0], types[0]), Elements(at[1], types[1]),
                          Elements(at[2], types[2]), source_of(shape)};
    });
}

Kernel scatter_add(const GatherShape& shape, const std::array<ElementType, 2>& types) {
    return each("strata:scatter_add", gathered(shape), [=](std::span<void* const> at) {
        return ScatterBody{Elements(at[0], types[0]), Elements(at[1], types[1]),
                           static_cast<float*>(at[2]), source_of(shape)};
    });
}

}  // namespace strata::cuda
