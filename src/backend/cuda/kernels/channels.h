// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "backend/cuda/kernels/fold.h"

#include <array>

namespace strata::cuda {

// The index of an element's per-channel parameter: index / inner % channels.
struct ChannelPlace {
    std::int64_t inner = 1;
    std::int64_t channels = 1;
};

// The place for an image in this order.
ChannelPlace channel_place(const Dims& image, Order order);

// Whether innermost channels can be read a pack at a time.
bool fills_packs(std::int64_t channels);

// The sum over all rows, channel by channel. Inputs: [rows, channels]. Requires: fills_packs.
FoldKernels row_sums(const std::string& name, std::int64_t rows, std::int64_t channels,
                     const std::array<ElementType, 2>& types);

// y += the bias of each element's channel. Addresses: y, bias (f32).
Kernel channel_bias(std::int64_t count, const ChannelPlace& place, ElementType y);

}  // namespace strata::cuda
