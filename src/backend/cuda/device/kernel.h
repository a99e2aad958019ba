// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

struct CUstream_st;

namespace strata::cuda {

// How many blocks of how many threads a kernel is launched with.
struct Geometry {
    std::int64_t blocks = 0;
    std::int64_t threads_x = 1;
    std::int64_t threads_y = 1;
};

// How a kernel's machine code reads global memory: through the L1 cache, as compilers have it
// unless told otherwise, or from L2 on.
enum class Reads { through_l1, past_l1 };

// One of our own kernels, ready but for the addresses it works at. The arithmetic is written once,
// for one element, row or column, and compiled for both sides: `launch` puts it on a stream of the
// GPU, `compute_on_host` walks through the same on this processor, so that all but the launch can
// be tested where there is no GPU.
struct Kernel {
    std::string name = {};
    Geometry geometry = {};
    Reads reads = Reads::through_l1;
    // Returns the runtime's error code of the launch (cudaError_t), 0 for none.
    std::function<int(CUstream_st* stream, std::span<void* const> addresses)> launch = {};
    std::function<void(std::span<void* const> addresses)> compute_on_host = {};
};

}  // namespace strata::cuda
