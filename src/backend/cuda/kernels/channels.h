// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "backend/cuda/kernels/fold.h"

#include <array>

namespace strata::cuda {

// Where the parameter of an element lies, one for each channel: index / inner % channels.
struct ChannelPlace {
    std::int64_t inner = 1;
    std::int64_t channels = 1;
};

// Of an image in this order.
ChannelPlace channel_place(const Dims& image, Order order);

// Whether channels that lie innermost can be read a pack at a time.
bool fills_packs(std::int64_t channels);

// The sum of every row, channel by channel. Inputs: [rows, channels]. Requires: fills_packs.
FoldKernels row_sums(const std::string& name, std::int64_t rows, std::int64_t channels,
                     const std::array<ElementType, 2>& types);

// y += bias of its channel. Addresses: y, bias (f32).
Kernel channel_bias(std::int64_t count, const ChannelPlace& place, ElementType y);

}  // namespace strata::cuda
