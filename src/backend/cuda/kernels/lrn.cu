// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/normalization.h"

#include "backend/cuda/kernels/divisor.h"
#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/launch.cuh"

namespace strata::cuda {

namespace {

// An element's channel, and the distance in memory to the next channel's.
struct ChannelAxis {
    Divisor inner;  // elements from one channel to the next
    Divisor channels;

    __device__ std::int64_t channel(std::int64_t i) const {
        const std::int64_t row = inner.quotient(i);
        return row - channels.quotient(row) * channels.value();
    }
    // Calls use(place) for channels c - before ... c + after that exist.
    template <class Use>
    __device__ void window(std::int64_t i, std::int64_t before, std::int64_t after,
                           const Use& use) const {
        const std::int64_t c = channel(i);
        for (std::int64_t d = -before; d <= after; ++d) {
            if (c + d >= 0 && c + d < channels.value()) {
                use(i + d * inner.value());
            }
        }
    }
};

ChannelAxis axis_of(const LrnShape& shape) {
    const bool is_last = shape.order == Order::channels_last;
    return {Divisor(is_last ? 1 : shape.positions), Divisor(shape.channels)};
}

// scale^-beta. The general power takes a hundred instructions; for 3/4, the exponent of every
// published network, two square roots suffice.
struct Power {
    float beta;

    __device__ float operator()(float scale) const {
        if (beta != 0.75F) {
            return powf(scale, -beta);
        }
        const float root = 1 / sqrtf(scale);
        return root * sqrtf(root);
    }
};

// The constants, and how far the window extends before and after its channel.
struct Constants {
    float k;
    float share;  // alpha / size
    Power power;
    std::int64_t before;
    std::int64_t after;
};

Constants constants_of(const Lrn& op) {
    const std::int64_t before = (op.size - 1) / 2;
    return {static_cast<float>(op.k),
            static_cast<float>(op.alpha / static_cast<double>(op.size)),
            {static_cast<float>(op.beta)},
            before,
            op.size - 1 - before};
}

struct ForwardBody {
    Elements x;
    Elements y;
    float* scales;
    ChannelAxis axis;
    Constants constants;

    __device__ void operator()(std::int64_t i) const {
        float squares = 0;
        axis.window(i, constants.before, constants.after, [&](std::int64_t at) {
            const float value = x.load(at);
            squares += value * value;
        });
        const float scale = constants.k + constants.share * squares;
        scales[i] = scale;
        y.store(i, x.load(i) * constants.power(scale));
    }
};

struct BackwardBody {
    Elements x;
    Elements dy;
    const float* scales;
    Elements dx;
    ChannelAxis axis;
    Constants constants;

    __device__ void operator()(std::int64_t i) const {
        float sum = 0;
        axis.window(i, constants.after, constants.before, [&](std::int64_t at) {
            sum += dy.load(at) * x.load(at) * constants.power(scales[at]) / scales[at];
        });
        const float factor = 2 * constants.share * constants.power.beta;
        dx.store(i, dy.load(i) * constants.power(scales[i]) - factor * x.load(i) * sum);
    }
};

std::int64_t count_of(const LrnShape& shape) {
    return shape.images * shape.channels * shape.positions;
}

}  // namespace

Kernel lrn_forward(const Lrn& op, const LrnShape& shape, const std::array<ElementType, 2>& types) {
    return each("strata:lrn_forward", count_of(shape), [=](std::span<void* const> at) {
        return ForwardBody{Elements(at[0], types[0]), Elements(at[1], types[1]),
                           static_cast<float*>(at[2]), axis_of(shape), constants_of(op)};
    });
}

Kernel lrn_backward(const Lrn& op, const LrnShape& shape, const std::array<ElementType, 3>& types) {
    return each("strata:lrn_backward", count_of(shape), [=](std::span<void* const> at) {
        return BackwardBody{Elements(at[0], types[0]),
                            Elements(at[1], types[1]),
                            static_cast<const float*>(at[2]),
                            Elements(at[3], types[2]),
                            axis_of(shape),
                            constants_of(op)};
    });
}

}  // namespace strata::cuda
