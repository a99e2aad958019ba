// SPDX-License-Identifier: MIT
#include "simulate/stream_accesses.h"

#include "base/error.h"

#include <algorithm>

namespace strata {

namespace {

constexpr std::uint64_t max_bytes = no_line * line_bytes;

}  // namespace

StreamAccesses::StreamAccesses(std::vector<StreamRange> streams, std::uint64_t block_bytes)
    : streams_(std::move(streams)) {
    std::uint64_t longest = 0;
    for (const StreamRange& stream : streams_) {
        if (stream.base >= max_bytes || stream.bytes >= max_bytes - stream.base) {
            throw Error("a kernel that accesses more than half a terabyte cannot be simulated");
        }
        longest = std::max(longest, stream.bytes);
    }
    if (longest == 0 || block_bytes == 0) {
        throw Error("a kernel that accesses no bytes cannot be simulated");
    }
    blocks_ = (longest + block_bytes - 1) / block_bytes;
}

void StreamAccesses::append(std::uint64_t block, std::uint64_t step,
                            std::vector<TileAccess>& accesses) const {
    const StreamRange& stream = streams_[step];
    // Rounded to whole sectors, so that no two blocks share one.
    const std::uint64_t sectors = (stream.bytes + sector_bytes - 1) / sector_bytes;
    const auto edge = [&](std::uint64_t number) {
        return sectors * number / blocks_ * sector_bytes;
    };
    RangeAccesses ranges(stream.kind, accesses);
    if (edge(block) < edge(block + 1)) {
        ranges.add(stream.base + edge(block), stream.base + edge(block + 1));
    }
}

}  // namespace strata
