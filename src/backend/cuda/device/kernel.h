// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

struct CUstream_st;

namespace strata::cuda {

// A kernel's launch geometry: how many blocks of how many threads.
struct Geometry {
    std::int64_t blocks = 0;
    std::int64_t threads_x = 1;
    std::int64_t threads_y = 1;
};

// How a kernel's machine code reads global memory: through the L1 cache, the compiler's default, or
// bypassing it.
enum class Reads { through_l1, past_l1 };

// One of our own kernels, complete except for its addresses.
struct Kernel {
    std::string name = {};
    Geometry geometry = {};
    Reads reads = Reads::through_l1;
    // Returns the runtime's error code for the launch (cudaError_t), 0 for none.
    std::function<int(CUstream_st* stream, std::span<void* const> addresses)> launch = {};
};

}  // namespace strata::cuda
