// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/bias_loops.h"
#include "backend/cpu/onednn/program.h"
#include "graph/execution.h"

#include <optional>

namespace strata::cpu {

// How our own loops see a tensor [N, C, spatial...] that is plain, channels last, batch last or
// blocked by channels: `outer` copies of the spatial axes, with `inner` adjacent elements at every
// position that are treated alike.
struct ChannelLayout {
    dnnl::memory::format_tag tag = dnnl::memory::format_tag::undef;
    std::int64_t outer = 0;
    std::int64_t inner = 1;

    // The same layout for other extents or another type. Requires: the same number of axes, the
    // same channels.
    Desc desc(const dnnl::memory::dims& dims, ElementType type) const { return {dims, type, tag}; }
};

// The layouts that hold these extents without padded blocks, widest blocks first, channels last at
// the end. Requires: one to three spatial axes.
std::vector<Desc> vector_layouts(const dnnl::memory::dims& dims, ElementType type);

// The requested layout of images with these extents, in blocks as wide as a register; any layout if
// the choice is free, or if the batch is requested last and there are not two spatial axes.
// Requires: one to three spatial axes.
Desc asked_layout(ImageLayout asked, const dnnl::memory::dims& dims, ElementType type);

// Whether the same element of all images is adjacent, and there are several images.
bool is_batch_last(const Desc& desc);

// The layout of this description, or the plain one if it is not among them: then a reorder is
// needed. Requires: one to three spatial axes.
ChannelLayout channel_layout_of(const Desc& desc);

// The same for loops that treat each channel separately, with the batch last as one image with more
// positions; empty if it is not one of these layouts. Requires: one to three spatial axes.
std::optional<ChannelBlocks> channel_blocks_of(const Desc& desc);

// Our own loops over a convolution's result, or its gradient: y = y + bias; dbias = the sum of dy.
// Throw Refusal if the channels are in none of these layouts.
Call add_bias_call(const TensorView& y, const TensorView& bias);
Call bias_gradient_call(const TensorView& dy, const TensorView& dbias);

}  // namespace strata::cpu
