// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace strata::cpu {

// The layout of images' channels: `inner` adjacent ones at every position, the last block padded.
// Plain images have inner = 1, channels last inner = channels.
struct ChannelBlocks {
    std::int64_t images = 1;
    std::int64_t channels = 1;
    std::int64_t positions = 1;  // the product of the spatial extents
    std::int64_t inner = 1;

    std::int64_t blocks() const { return (channels + inner - 1) / inner; }
};

// y = y + bias of its channel; padding stays as it is. Runs on OpenMP's threads.
void add_bias(const ChannelBlocks& shape, const float* bias, float* y);

// y = x * factor + offset of its channel: a normalisation by statistics that do not change.
// `factors` and `offsets` have an element for each channel of the last block, zero for padded ones.
void scale_channels(const ChannelBlocks& shape, const float* factors, const float* offsets,
                    const float* x, float* y);

// dbias = the sum of dy over images and positions, in f64; if channels fill vectors, in f32 over up
// to 256 positions and then in f64. Independent of the number of threads.
void bias_gradient(const ChannelBlocks& shape, const float* dy, float* dbias);

}  // namespace strata::cpu
