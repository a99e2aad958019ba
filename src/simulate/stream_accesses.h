// SPDX-License-Identifier: MIT
#pragma once

#include "simulate/kernel_accesses.h"

#include <cstdint>
#include <vector>

namespace strata {

// A memory range that a kernel traverses from beginning to end.
struct StreamRange {
    std::uint64_t base = 0;  // bytes
    std::uint64_t bytes = 0;
    AccessKind kind = AccessKind::read;
};

// The accesses of an elementwise kernel: each block has a share of every stream and traverses one
// stream's share after another, in the given order. A stream listed twice is traversed twice, like
// the rows of a softmax.
class StreamAccesses final : public KernelAccesses {
public:
    // A block's share is `block_bytes` of the longest stream. Throws Error for no bytes, and for
    // addresses without a line number.
    StreamAccesses(std::vector<StreamRange> streams, std::uint64_t block_bytes = 4096);

    std::uint64_t blocks() const override { return blocks_; }
    std::uint64_t steps() const override { return streams_.size(); }
    void append(std::uint64_t block, std::uint64_t step,
                std::vector<TileAccess>& accesses) const override;

private:
    std::vector<StreamRange> streams_;
    std::uint64_t blocks_ = 1;
};

}  // namespace strata
