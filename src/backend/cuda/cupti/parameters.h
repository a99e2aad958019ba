// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace strata::cuda {

// A parameter block of CUPTI's profiling interface, all zero but its size. The size that CUPTI
// wants ends with the block's last field, before any padding.
template <class Block>
Block parameters(std::size_t size) {
    Block block{};
    block.structSize = size;
    return block;
}

}  // namespace strata::cuda
