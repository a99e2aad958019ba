// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/channels.cuh"

#include "backend/cuda/kernels/launch.cuh"

namespace strata::cuda {

namespace {

struct BiasBody {
    Elements y;
    const float* bias;
    Channels channels;
    std::int64_t count;

    __device__ void operator()(std::int64_t pack) const {
        each_pack(
            pack, count,
            [&](std::int64_t begin) {
                const RawPack raw = y.load_raw_pack(begin);
                const Pack added = channels.load(bias, begin, channels.of(begin));
                Pack values = y.values_of(raw);
                for (int j = 0; j < Pack::size; ++j) {
                    values.at[j] += added.at[j];
                }
                y.store_pack(begin, values);
            },
            [&](std::int64_t i) { y.store(i, y.load(i) + bias[channels.of(i)]); });
    }
};

}  // namespace

bool fills_packs(std::int64_t channels) {
    return channels % Pack::size == 0;
}

FoldKernels row_sums(const std::string& name, std::int64_t rows, std::int64_t channels,
                     const std::array<ElementType, 2>& types) {
    return channel_fold<1, 0>(name, rows, channels, types, SumFold());
}

ChannelPlace channel_place(const Dims& image, Order order) {
    const std::int64_t positions = product(std::span(image).subspan(2));
    return {order == Order::channels_last ? 1 : positions, image[1]};
}

Kernel channel_bias(std::int64_t count, const ChannelPlace& place, ElementType y) {
    return each("strata:bias", ceiling(count, Pack::size), [=](std::span<void* const> at) {
        return BiasBody{Elements(at[0], y), static_cast<const float*>(at[1]), Channels(place),
                        count};
    });
}

}  // namespace strata::cuda
