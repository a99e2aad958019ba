// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/normalization.h"

#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/launch.cuh"

namespace strata::cuda {

namespace {

// A block has a tile of channels and positions. It keeps the terms of its windows in shared memory,
// those of the channels beside its own, too: `halo` on each side, so that only windows of
// more than 2 halo + 1 channels read global memory again.
constexpr int tile = 32;
constexpr int halo = 8;
constexpr int threads_across = threads_of_each / tile;
constexpr int own_elements = tile / threads_across;

template <int Halo>
using Terms = float[tile + 2 * Halo][tile + 1];  // one column more, against bank conflicts

// scale^-beta and 1 / scale. The general power takes a hundred instructions; for 3/4, the exponent
// of every published network, two reciprocal square roots suffice.
struct Powers {
    float power;
    float inverse;
};
template <int Size>
__device__ Powers powers_of(float scale, float beta) {
    if constexpr (Size == 0) {
        return {powf(scale, -beta), 1 / scale};
    }
    const float root = rsqrtf(scale);
    return {root * (root * rsqrtf(root)), root * root};
}

// How far the window extends before and after its channel, and the constants.
struct LrnConstants {
    int before;
    int after;
    float k;
    float share;  // alpha / size
    float beta;
};

LrnConstants constants_of(const Lrn& op) {
    const std::int64_t before = (op.size - 1) / 2;
    return {static_cast<int>(before), static_cast<int>(op.size - 1 - before),
            static_cast<float>(op.k), static_cast<float>(op.alpha / static_cast<double>(op.size)),
            static_cast<float>(op.beta)};
}

// The images, as tiles. Images whose channels are innermost follow each other like positions.
struct LrnImages {
    std::int64_t images;
    std::int64_t positions;
    int channels;
    bool is_last;

    __host__ __device__ std::int64_t tiles_of_channels() const { return (channels - 1) / tile + 1; }
    __host__ __device__ std::int64_t tiles_of_positions() const {
        return (positions - 1) / tile + 1;
    }
};

// A thread's place within its tile: neighbouring threads have elements that are adjacent in memory.
class LrnTile {
public:
    __device__ LrnTile(const LrnImages& images, std::int64_t block)
        : channels_(images.channels), is_last_(images.is_last) {
        const std::int64_t row = block / images.tiles_of_channels();
        first_ = static_cast<int>(block - row * images.tiles_of_channels()) * tile;
        const std::int64_t image = row / images.tiles_of_positions();
        const std::int64_t position = (row - image * images.tiles_of_positions()) * tile;
        const std::int64_t left = images.positions - position;
        positions_ = left < tile ? static_cast<int>(left) : tile;
        channel_stride_ = is_last_ ? 1 : images.positions;
        position_stride_ = is_last_ ? channels_ : 1;
        begin_ = image * images.positions * channels_ + position * position_stride_;
        near_ = threadIdx.x % tile;
        far_ = static_cast<int>(threadIdx.x) / tile;
        own_ = is_last_ ? index(first_ + near_, far_) : index(first_ + far_, near_);
    }

    __device__ std::int64_t index(int channel, int position) const {
        return begin_ + channel * channel_stride_ + position * position_stride_;
    }
    __device__ bool exists(int channel) const { return channel >= 0 && channel < channels_; }
    __device__ int row(int channel) const { return channel - first_; }

    // Calls use(k, channel, position, index) for the thread's k-th own element. The position
    // exists.
    template <class Use>
    __device__ void each_own(const Use& use) const {
        const std::int64_t step = threads_across * (is_last_ ? position_stride_ : channel_stride_);
        unrolled<own_elements>([&](int k) {
            const int far = far_ + k * threads_across;
            const int position = is_last_ ? far : near_;
            if (position < positions_) {
                use(k, first_ + (is_last_ ? near_ : far), position, own_ + k * step);
            }
        });
    }
    // Calls use(channel, position) for some of `before` channels in front of the tile and `after`
    // behind it.
    template <class Use>
    __device__ void each_beside(int before, int after, const Use& use) const {
        for (int row = far_; row < before + after && near_ < positions_; row += threads_across) {
            use(row < before ? first_ - before + row : first_ + tile + row - before, near_);
        }
    }

    // The sum of the terms of channels channel - before ... channel + after: those within the
    // tile's halo from `terms`, which has zeros for channels that do not exist; all others
    // computed.
    template <int Size, int Rows, class Compute>
    __device__ float sum(const float (&terms)[Rows][tile + 1], int channel, int position,
                         int before, int after, const Compute& compute) const {
        constexpr int beside = (Rows - tile) / 2;
        if constexpr (Size > 0) {
            float sum = 0;
            unrolled<Size>(
                [&](int c) { sum += terms[row(channel) + beside - Size / 2 + c][position]; });
            return sum;
        }
        const int begin = channel < before ? 0 : channel - before;
        const int end = channels_ - channel <= after ? channels_ : channel + after + 1;
        const int held_begin = first_ - beside > begin ? first_ - beside : begin;
        const int held_end = first_ + tile + beside < end ? first_ + tile + beside : end;
        float sum = 0;
        for (int c = begin; c < held_begin; ++c) {
            sum += compute(c);
        }
        for (int c = held_begin; c < held_end; ++c) {
            sum += terms[c - first_ + beside][position];
        }
        for (int c = held_end; c < end; ++c) {
            sum += compute(c);
        }
        return sum;
    }

private:
    int channels_;
    bool is_last_;
    int first_;  // channel
    int positions_;
    std::int64_t channel_stride_;
    std::int64_t position_stride_;
    std::int64_t begin_;
    int near_;  // of a thread among those beside it in memory
    int far_;
    std::int64_t own_;
};

__device__ int at_most(int value, int limit) {
    return value < limit ? value : limit;
}

// The squares of x in and beside a tile, from which its scales follow.
template <int Size, int Halo>
struct Squares {
    const Elements& x;
    const LrnTile& tile_of;
    const LrnConstants& constants;
    Terms<Halo>& terms;

    __device__ static float square(float value) { return value * value; }
    __device__ float value(int channel, int position) const {
        return tile_of.exists(channel) ? x.load(tile_of.index(channel, position)) : 0;
    }
    __device__ void load(int before, int after, float* own) const {
        RawElement raw[own_elements] = {};
        tile_of.each_own([&](int k, int channel, int, std::int64_t i) {
            if (tile_of.exists(channel)) {
                raw[k] = x.load_raw(i);
            }
        });
        tile_of.each_beside(at_most(before, Halo), at_most(after, Halo), [&](int c, int position) {
            terms[tile_of.row(c) + Halo][position] = square(value(c, position));
        });
        tile_of.each_own([&](int k, int channel, int position, std::int64_t) {
            own[k] = x.value_of(raw[k]);
            terms[tile_of.row(channel) + Halo][position] = square(own[k]);
        });
        __syncthreads();
    }
    __device__ float scale(int channel, int position) const {
        const float squares =
            tile_of.template sum<Size>(terms, channel, position, constants.before, constants.after,
                                       [&](int c) { return square(value(c, position)); });
        return constants.k + constants.share * squares;
    }
};

// `Size`: of the window, if it and the exponent are those of published networks; otherwise 0.
template <int Size>
struct LrnForward {
    Elements x;
    Elements y;
    LrnImages images;
    LrnConstants constants;

    __device__ void operator()(std::int64_t block) const {
        __shared__ Terms<halo> terms;
        const LrnTile tile_of(images, block);
        const Squares<Size, halo> squares = {x, tile_of, constants, terms};
        float own[own_elements] = {};
        squares.load(constants.before, constants.after, own);
        tile_of.each_own([&](int k, int channel, int position, std::int64_t i) {
            if (tile_of.exists(channel)) {
                const float scale = squares.scale(channel, position);
                y.store(i, own[k] * powers_of<Size>(scale, constants.beta).power);
            }
        });
    }
};

// Computes the scales again, which takes less time than reading what the forward pass could leave.
template <int Size>
struct LrnBackward {
    Elements x;
    Elements dy;
    Elements dx;
    LrnImages images;
    LrnConstants constants;

    __device__ void operator()(std::int64_t block) const {
        __shared__ Terms<2 * halo> squares_of_x;
        __shared__ Terms<halo> ratios;
        const LrnTile tile_of(images, block);
        const Squares<Size, 2 * halo> squares = {x, tile_of, constants, squares_of_x};
        RawElement gradients[own_elements] = {};
        tile_of.each_own([&](int k, int channel, int, std::int64_t i) {
            if (tile_of.exists(channel)) {
                gradients[k] = dy.load_raw(i);
            }
        });
        const int reach = constants.before + constants.after;
        float own[own_elements] = {};
        squares.load(reach, reach, own);
        const auto ratio_of = [&](int channel, int position) {
            if (!tile_of.exists(channel)) {
                return 0.0F;
            }
            const std::int64_t i = tile_of.index(channel, position);
            const Powers powers = powers_of<Size>(squares.scale(channel, position), constants.beta);
            return dy.load(i) * powers.power * x.load(i) * powers.inverse;
        };
        float direct[own_elements] = {};  // dy s^-beta
        tile_of.each_own([&](int k, int channel, int position, std::int64_t) {
            const Powers powers = powers_of<Size>(squares.scale(channel, position), constants.beta);
            direct[k] = dy.value_of(gradients[k]) * powers.power;
            ratios[tile_of.row(channel) + halo][position] =
                tile_of.exists(channel) ? direct[k] * own[k] * powers.inverse : 0;
        });
        tile_of.each_beside(at_most(constants.after, halo), at_most(constants.before, halo),
                            [&](int c, int position) {
                                ratios[tile_of.row(c) + halo][position] = ratio_of(c, position);
                            });
        __syncthreads();
        const float factor = 2 * constants.share * constants.beta;
        tile_of.each_own([&](int k, int channel, int position, std::int64_t i) {
            if (tile_of.exists(channel)) {
                const float sum =
                    tile_of.sum<Size>(ratios, channel, position, constants.after, constants.before,
                                      [&](int c) { return ratio_of(c, position); });
                dx.store(i, direct[k] - factor * own[k] * sum);
            }
        });
    }
};

LrnImages images_of(const LrnShape& shape) {
    const bool is_last = shape.order == Order::channels_last;
    return {is_last ? 1 : shape.images, is_last ? shape.images * shape.positions : shape.positions,
            static_cast<int>(shape.channels), is_last};
}

// `make` makes the body for a size that is known to the compiler.
template <class Make>
Kernel lrn_kernel(std::string name, const Lrn& op, const LrnImages& images, Make make) {
    constexpr int published = 5;
    const bool is_empty = images.images * images.positions * images.channels == 0;
    const std::int64_t count =
        is_empty ? 0 : images.images * images.tiles_of_positions() * images.tiles_of_channels();
    if (op.size == published && op.beta == 0.75) {
        return tiles(std::move(name), count, [=](std::span<void* const> at) {
            return make(std::integral_constant<int, published>(), at);
        });
    }
    return tiles(std::move(name), count, [=](std::span<void* const> at) {
        return make(std::integral_constant<int, 0>(), at);
    });
}

}  // namespace

Kernel lrn_forward(const Lrn& op, const LrnShape& shape, const std::array<ElementType, 2>& types) {
    const LrnImages images = images_of(shape);
    const LrnConstants constants = constants_of(op);
    return lrn_kernel("strata:lrn_forward", op, images, [=](auto size, std::span<void* const> at) {
        return LrnForward<decltype(size)::value>{Elements(at[0], types[0]),
                                                 Elements(at[1], types[1]), images, constants};
    });
}

Kernel lrn_backward(const Lrn& op, const LrnShape& shape, const std::array<ElementType, 3>& types) {
    const LrnImages images = images_of(shape);
    const LrnConstants constants = constants_of(op);
    return lrn_kernel("strata:lrn_backward", op, images, [=](auto size, std::span<void* const> at) {
        return LrnBackward<decltype(size)::value>{Elements(at[0], types[0]),
                                                  Elements(at[1], types[1]),
                                                  Elements(at[2], types[2]), images, constants};
    });
}

}  // namespace strata::cuda
