// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/format.h"
#include "backend/cuda/kernels/kernel.h"

#include <array>

namespace strata::cuda {

// Where the parameter of an element lies, one for each channel: index / inner % channels.
struct ChannelPlace {
    std::int64_t inner = 1;
    std::int64_t channels = 1;
};

// Of an image in this order.
ChannelPlace channel_place(const Dims& image, Order order);

// y += bias of its channel. Addresses: y, bias (f32).
Kernel channel_bias(std::int64_t count, const ChannelPlace& place, ElementType y);

}  // namespace strata::cuda
