// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace strata::cuda {

// A parameter block of CUPTI's profiling interface, all zero except its size. CUPTI wants the size
// up to the end of the last field, without trailing padding.
template <class Block>
Block parameters(std::size_t size) {
    Block block{};
    block.structSize = size;
    return block;
}

}  // namespace strata::cuda
