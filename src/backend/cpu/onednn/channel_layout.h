// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/layout.h"

namespace strata::cpu {

// How loops of our own see a tensor [N, C, spatial...] that lies plain, channels last or in blocks
// of channels: `outer` copies of the spatial axes, whose every position has `inner` elements side
// by side that are treated alike.
struct ChannelLayout {
    dnnl::memory::format_tag tag = dnnl::memory::format_tag::undef;
    std::int64_t outer = 0;
    std::int64_t inner = 1;

    // The same layout for other extents or another type. Requires: as many axes, the same channels.
    Desc desc(const dnnl::memory::dims& dims, ElementType type) const { return {dims, type, tag}; }
};

// The layouts that hold these extents without filling up blocks, the widest blocks first, channels
// last at the end. Requires: one to three spatial axes.
std::vector<Desc> vector_layouts(const dnnl::memory::dims& dims, ElementType type);

// The layout of this description, or the plain one where it lies in no such way: then a reorder is
// needed. Requires: one to three spatial axes.
ChannelLayout channel_layout_of(const Desc& desc);

}  // namespace strata::cpu
