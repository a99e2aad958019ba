// SPDX-License-Identifier: MIT
#pragma once

#include "simulate/kernel_accesses.h"

#include <cstdint>
#include <vector>

namespace strata {

// A part of memory that a kernel goes through from its beginning to its end.
struct StreamRange {
    std::uint64_t base = 0;  // bytes
    std::uint64_t bytes = 0;
    AccessKind kind = AccessKind::read;
};

// What an elementwise kernel accesses: each block has a share of every stream, and takes its share
// of one after the other, in the given order. One that is listed twice is gone through twice, as
// the rows of a softmax are.
class StreamAccesses final : public KernelAccesses {
public:
    // `block_bytes` of the longest stream are a block's share. Throws Error for no bytes, and for
    // addresses that have no line number.
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
