// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/channel_fold.cuh"
#include "backend/cuda/kernels/channel_map.cuh"

#include "backend/cuda/kernels/launch.cuh"

namespace strata::cuda {

namespace {

struct AddBias {
    static constexpr int parameters = 1;
    static constexpr int coefficients = 1;
    __device__ void prepare(const float* bias, float* added) const { added[0] = bias[0]; }
    __device__ float operator()(const float* y, const float* added) const {
        return y[0] + added[0];
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
    return channel_map<1>("strata:bias", count, place, {y, y}, AddBias());
}

}  // namespace strata::cuda
