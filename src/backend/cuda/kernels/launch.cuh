// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/kernel.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace strata::cuda {

// Two values into one, in any order.
struct Add {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return a + b;
    }
};
struct Greater {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return b > a ? b : a;
    }
};

// Threads that compute one row or column together. A body strides through its elements from
// `index()` by `size()` and combines the partial results; every thread gets the result, and thread
// 0 writes values that exist once per team.

// The 32 threads of a warp.
class WarpTeam {
public:
    __device__ std::int64_t index() const { return threadIdx.x % 32; }
    __device__ std::int64_t size() const { return 32; }
    template <class T, class Combine>
    __device__ T combined(T value, Combine combine) const {
        for (int distance = 16; distance > 0; distance /= 2) {
            value = combine(value, __shfl_xor_sync(~0U, value, distance));
        }
        return value;
    }
};

// All threads of a block: each warp reduces alone, then the warps' results are combined through
// shared memory.
class BlockTeam {
public:
    __device__ std::int64_t index() const { return threadIdx.x; }
    __device__ std::int64_t size() const { return blockDim.x; }
    template <class T, class Combine>
    __device__ T combined(T value, Combine combine) const {
        __shared__ T parts[32];
        value = WarpTeam().combined(value, combine);
        __syncthreads();  // a slow warp may still be reading the last reduction's results
        if (threadIdx.x % 32 == 0) {
            parts[threadIdx.x / 32] = value;
        }
        __syncthreads();
        T result = parts[0];
        for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
            result = combine(result, parts[warp]);
        }
        return result;
    }
};

// The threads of a block with the same threadIdx.x: neighbours in x work on neighbouring columns,
// so that a warp's accesses coalesce. A team beyond the last column takes part in the reductions,
// but it has no elements, and none of its threads is thread 0.
class ColumnTeam {
public:
    __device__ explicit ColumnTeam(bool has_column) : has_column_(has_column) {}
    __device__ std::int64_t index() const { return has_column_ ? threadIdx.y : beyond; }
    __device__ std::int64_t size() const { return blockDim.y; }
    template <class T, class Combine>
    __device__ T combined(T value, Combine combine) const {
        __shared__ T parts[32][32];
        __syncthreads();
        parts[threadIdx.y][threadIdx.x] = value;
        __syncthreads();
        T result = parts[0][threadIdx.x];
        for (unsigned y = 1; y < blockDim.y; ++y) {
            result = combine(result, parts[y][threadIdx.x]);
        }
        return result;
    }

private:
    static constexpr std::int64_t beyond = std::int64_t{1} << 62;
    bool has_column_;
};

// How our kernels distribute their work. Each function takes one that makes the body from the
// launch's addresses; a body is a plain struct with one operator() for the device.

// Kernels are compiled twice, the second time to machine code that reads past L1.
#ifdef STRATA_READS_PAST_L1
constexpr Reads compiled_reads = Reads::past_l1;
#else
constexpr Reads compiled_reads = Reads::through_l1;
#endif

inline constexpr std::int64_t threads_of_each = 256;
inline constexpr std::int64_t threads_of_short_rows = 128;
inline constexpr std::int64_t max_threads = 1024;
inline constexpr std::int64_t max_rows_of_columns = 16;  // of threads, 32 columns each
inline constexpr std::int64_t max_blocks = 0x7fffffff;

// No loop: a grid can have 2^31 blocks, and the compiler cannot unroll what is not a loop.
template <class Body>
__global__ void __launch_bounds__(threads_of_each) each_kernel(Body body, std::int64_t count) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) {
        body(i);
    }
}

// One warp per row.
template <class Body>
__global__ void __launch_bounds__(threads_of_short_rows)
    short_rows_kernel(Body body, std::int64_t count) {
    const std::int64_t warps = blockDim.x / 32;
    for (std::int64_t row = blockIdx.x * warps + threadIdx.x / 32; row < count;
         row += gridDim.x * warps) {
        body(row, WarpTeam());
    }
}

// One block per row.
template <class Body, std::int64_t most_threads>
__global__ void __launch_bounds__(most_threads) long_rows_kernel(Body body, std::int64_t count) {
    for (std::int64_t row = blockIdx.x; row < count; row += gridDim.x) {
        body(row, BlockTeam());
    }
}

// One block per tile, which its threads divide among themselves.
template <class Body>
__global__ void __launch_bounds__(threads_of_each) tiles_kernel(Body body, std::int64_t) {
    body(static_cast<std::int64_t>(blockIdx.x));
}

// 32 columns per block. All threads take part in every reduction.
template <class Body>
__global__ void __launch_bounds__(32 * max_rows_of_columns)
    columns_kernel(Body body, std::int64_t count) {
    for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * 32; first < count;
         first += static_cast<std::int64_t>(gridDim.x) * 32) {
        const std::int64_t column = first + threadIdx.x;
        body(column < count ? column : count - 1, ColumnTeam(column < count));
    }
}

// A launch address of data that is f32 whatever the network computes in.
inline float* floats(void* address) {
    return static_cast<float*>(address);
}

inline std::int64_t ceiling(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}
inline std::int64_t blocks_for(std::int64_t count, std::int64_t each) {
    return std::clamp<std::int64_t>(ceiling(count, each), 1, max_blocks);
}

// Puts `kernel` on the stream; without work, nothing is launched.
template <class Body>
int launch(void (*kernel)(Body, std::int64_t), const Geometry& geometry, cudaStream_t stream,
           Body body, std::int64_t count) {
    if (count == 0) {
        return cudaSuccess;
    }
    const dim3 blocks(static_cast<unsigned>(geometry.blocks));
    const dim3 threads(static_cast<unsigned>(geometry.threads_x),
                       static_cast<unsigned>(geometry.threads_y));
    // Returns the error of this launch, not of an earlier call.
    void* arguments[] = {&body, &count};
    return cudaLaunchKernel(kernel, blocks, threads, arguments, 0, stream);
}

// body(i) for i = 0 ... count - 1, in any order.
template <class Make>
Kernel each(std::string name, std::int64_t count, Make make) {
    const Geometry geometry = {blocks_for(count, threads_of_each), threads_of_each};
    return {.name = std::move(name),
            .geometry = geometry,
            .reads = compiled_reads,
            .launch = [=](cudaStream_t stream, std::span<void* const> at) {
                return launch(&each_kernel<decltype(make(at))>, geometry, stream, make(at), count);
            }};
}

// body(row, team) for each row of `length` adjacent elements. Blocks of fewer threads leave each of
// them more registers.
template <std::int64_t most_threads = max_threads, class Make>
Kernel rows(std::string name, std::int64_t count, std::int64_t length, Make make) {
    constexpr std::int64_t long_row = 1024;
    const bool is_long = length > long_row;
    const std::int64_t threads = length > 8 * long_row ? most_threads : threads_of_each;
    const Geometry geometry = is_long ? Geometry{blocks_for(count, 1), threads}
                                      : Geometry{blocks_for(count, 4), threads_of_short_rows};
    return {.name = std::move(name),
            .geometry = geometry,
            .reads = compiled_reads,
            .launch = [=](cudaStream_t stream, std::span<void* const> at) {
                using Body = decltype(make(at));
                return launch(
                    is_long ? &long_rows_kernel<Body, most_threads> : &short_rows_kernel<Body>,
                    geometry, stream, make(at), count);
            }};
}

// body(tile) for tile = 0 ... count - 1, by all threads of a block.
template <class Make>
Kernel tiles(std::string name, std::int64_t count, Make make) {
    const Geometry geometry = {blocks_for(count, 1), threads_of_each};
    return {.name = std::move(name),
            .geometry = geometry,
            .reads = compiled_reads,
            .launch = [=](cudaStream_t stream, std::span<void* const> at) {
                return launch(&tiles_kernel<decltype(make(at))>, geometry, stream, make(at), count);
            }};
}

// body(column, team) for columns of `length` elements; neighbouring columns are adjacent in memory.
template <class Make>
Kernel columns(std::string name, std::int64_t count, std::int64_t length, Make make) {
    const Geometry geometry = {
        blocks_for(count, 32), 32,
        std::clamp<std::int64_t>(ceiling(length, 4), 1, max_rows_of_columns)};
    return {.name = std::move(name),
            .geometry = geometry,
            .reads = compiled_reads,
            .launch = [=](cudaStream_t stream, std::span<void* const> at) {
                return launch(&columns_kernel<decltype(make(at))>, geometry, stream, make(at),
                              count);
            }};
}

}  // namespace strata::cuda
