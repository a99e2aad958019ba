// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/movement.h"

#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/launch.cuh"
#include "backend/cuda/kernels/strides.h"
#include "base/error.h"

namespace strata::cuda {

namespace {

// The index of an element's source; -1 if the element is padding.
struct Source {
    PadKind kind;
    int rank;
    std::int64_t input[max_axes];
    std::int64_t begin[max_axes];
    Divisor output[max_axes];

    __device__ std::int64_t operator()(std::int64_t number) const {
        std::int64_t offset = 0;
        std::int64_t step = 1;
        for (int axis = rank - 1; axis >= 0; --axis) {
            const std::int64_t rest = output[axis].quotient(number);
            const std::int64_t at = along(axis, number - rest * output[axis].value() - begin[axis]);
            if (at < 0) {
                return -1;
            }
            offset += at * step;
            step *= input[axis];
            number = rest;
        }
        return offset;
    }

private:
    __device__ std::int64_t along(int axis, std::int64_t at) const {
        const std::int64_t last = input[axis] - 1;
        if (at >= 0 && at <= last) {
            return at;
        }
        switch (kind) {
            case PadKind::edge:
                return at < 0 ? 0 : last;
            case PadKind::reflect:
                return at < 0 ? -at : 2 * last - at;
            default:
                return -1;
        }
    }
};

Source source_of(const Pad& op, const Dims& x, const Dims& y) {
    if (x.size() > max_axes) {
        throw Error("a tensor has more axes than the GPU's kernels take, which is 8");
    }
    Source source = {op.kind, static_cast<int>(x.size()), {}, {}, {}};
    for (std::size_t axis = 0; axis < x.size(); ++axis) {
        source.input[axis] = x[axis];
        source.begin[axis] = op.begin[axis];
        source.output[axis] = Divisor(y[axis]);
    }
    return source;
}

struct ForwardBody {
    Elements x;
    Elements y;
    Source source;
    float value;

    __device__ void operator()(std::int64_t i) const {
        const std::int64_t from = source(i);
        y.store(i, from < 0 ? value : x.load(from));
    }
};

struct ScatterBody {
    Elements dy;
    float* sum;
    Source source;

    __device__ void operator()(std::int64_t i) const {
        const std::int64_t to = source(i);
        if (to >= 0) {
            atomicAdd(sum + to, dy.load(i));
        }
    }
};

}  // namespace

Kernel pad_forward(const Pad& op, const Dims& x, const Dims& y,
                   const std::array<ElementType, 2>& types) {
    return each(
        "strata:pad", product(y),
        [types, source = source_of(op, x, y),
         value = static_cast<float>(op.value)](std::span<void* const> at) {
            return ForwardBody{Elements(at[0], types[0]), Elements(at[1], types[1]), source, value};
        });
}

Kernel pad_scatter(const Pad& op, const Dims& x, const Dims& y, ElementType dy) {
    return each("strata:pad_backward", product(y),
                [dy, source = source_of(op, x, y)](std::span<void* const> at) {
                    return ScatterBody{Elements(at[0], dy), static_cast<float*>(at[1]), source};
                });
}

}  // namespace strata::cuda
